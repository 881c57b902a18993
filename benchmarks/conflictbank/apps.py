from django.apps import AppConfig


class ConflictbankConfig(AppConfig):
    name = "benchmarks.conflictbank"
    label = "conflictbank"

    def ready(self) -> None:
        """Register with the apps below everything that this benchmark offers."""
