from django.apps import AppConfig

from core.apps import after_migrations


class ConflictbankConfig(AppConfig):
    name = "benchmarks.conflictbank"
    label = "conflictbank"

    def ready(self) -> None:
        """Register with the apps below everything that this benchmark offers."""
        from .facts.templates import install_templates

        after_migrations(self, install_templates)
