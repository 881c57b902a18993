from django.apps import AppConfig

from core.apps import after_migrations


class ConflictbankConfig(AppConfig):
    name = "benchmarks.conflictbank"
    label = "conflictbank"

    def ready(self) -> None:
        """Register with the apps below everything that this benchmark offers."""
        from annotation.kinds import registry
        from annotation.releases.files import formats
        from review.site import entries as sites

        from . import files
        from .facts.templates import install_templates
        from .folders.entries import register_folders
        from .reports import entries as reports
        from .tasks import register_tasks

        registry.register(files.CONFLICTBANK)
        formats.register(files.RELEASED, files.QA, benchmark=files.CONFLICTBANK.code)
        formats.register(files.OF_CLAIMS, files.CLAIMS, benchmark=files.CONFLICTBANK.code)
        register_folders()
        sites.register(files.CONFLICTBANK.code, presentation)
        register_tasks()
        reports.register_reports()
        after_migrations(self, install_templates)


def presentation():
    from .site import PRESENTATION

    return PRESENTATION
