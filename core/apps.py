from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "core"
    # Its events may be read by every admin: see `core.views.project`.
    has_open_log = True
