import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

# Imported only now, when Django is set up.
import_module("core.schema.checking").check_at_start()

# All views are loaded now, and what is loaded is never garbage: without this, a full collection walks through all of
# it every few hundred requests, and whoever waits then waits a tenth of a second longer.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
