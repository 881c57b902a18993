"""`label-studio` with the arguments that are given, on tables made of its models as they are now. All its migrations,
one after the other, end with the same tables and take half a minute of a core; they are noted as done."""

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.urls import get_resolver
from label_studio import server


def make_tables() -> None:
    get_resolver().url_patterns  # noqa: B018 # the models of some storages are known only once its addresses are
    given = settings.MIGRATION_MODULES
    settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
    call_command("migrate", run_syncdb=True, verbosity=0)
    settings.MIGRATION_MODULES = given
    call_command("migrate", fake=True, verbosity=0)


server._setup_env()
make_tables()
server.main()
