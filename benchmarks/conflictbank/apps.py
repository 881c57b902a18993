from django.apps import AppConfig

from core.apps import after_migrations


class ConflictbankConfig(AppConfig):
    name = "benchmarks.conflictbank"
    label = "conflictbank"

    def ready(self) -> None:
        """Register with the apps below everything that this benchmark offers."""
        from annotation.kinds import registry
        from annotation.releases.files import formats
        from judging.catalogue import purposes
        from judging.catalogue.standard import install_baselines
        from judging.making.registry import register as register_making
        from review.site import entries as sites

        from . import files, nav_items, questionnaires
        from .evidence import generation
        from .evidence.entry import MakingOfConflicts
        from .evidence.measuring import ForPairs
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
        register_making(MakingOfConflicts())
        purposes.register(generation.ForEvidence(), generation.ForDescriptions(), ForPairs())
        nav_items.register_nav_items()
        questionnaires.register()
        after_migrations(self, install_templates)
        after_migrations(self, lambda: install_baselines({generation.PATTERN: generation.PATTERN_LABEL}))


def presentation():
    from .site import PRESENTATION

    return PRESENTATION
