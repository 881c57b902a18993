from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "core"
    # Every admin may read its events: see `core.views.project`.
    has_open_log = True

    def ready(self) -> None:
        from .accounts import finder
        from .navigation import first_page, saved_views

        finder.register()
        first_page.register()
        saved_views.register()
