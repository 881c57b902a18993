from collections.abc import Callable

from django.apps import AppConfig, apps
from django.apps.registry import Apps
from django.db.models.signals import post_migrate


class CoreConfig(AppConfig):
    name = "core"
    # Every admin may read its events: see `core.views.project`.
    has_open_log = True

    def ready(self) -> None:
        from .accounts import finder, passwords
        from .health.registering import register_checks
        from .health.signs import register_look
        from .keeping import findings
        from .navigation import first_page, saved_views
        from .navigation.downloads import register_downloads
        from .sealing import findings as sealing_findings
        from .seeing import alarms, figures, sentry, worker  # noqa: F401  # messages carry the number of their request from now on
        from .sign_in import log, oidc

        finder.register()
        passwords.register()
        first_page.register()
        register_checks()
        figures.register_figures()
        alarms.register_events()
        register_look(alarms.look_now_and_then)
        sentry.start()
        findings.register_checks()
        sealing_findings.register_checks()
        saved_views.register()
        log.register()
        oidc.register()
        register_downloads(
            account_data=lambda: "the data kept about them",
            person_data=lambda pk: f"the data kept about person {pk}",
            person_names=lambda pk: f"the names given to person {pk} in files",
        )


def after_migrations(app: AppConfig, install: Callable[[], object]) -> None:
    """Call `install` each time the tables of `app` have been migrated, unless the migration removed them."""

    def migrated(apps: Apps = apps, **kwargs: object) -> None:
        if any(model._meta.app_label == app.label for model in apps.get_models()):
            install()

    post_migrate.connect(migrated, sender=app, weak=False)
