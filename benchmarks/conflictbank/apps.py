from django.apps import AppConfig

from core.apps import after_migrations


class ConflictbankConfig(AppConfig):
    name = "benchmarks.conflictbank"
    label = "conflictbank"
    has_open_log = True

    def ready(self) -> None:
        """Register this benchmark's parts with the apps below."""
        from core.background import registry
        from core.models.events import register_hidden
        from judging.catalogue.standard import install_baselines

        from ..benchmark import Benchmark, WhoReads, register
        from . import files
        from .classifying import worker
        from .evidence import generation
        from .evidence.entry import MakingOfConflicts
        from .evidence.measuring import ForPairs
        from .facts.templates import install_templates
        from .folders.entries import FOLDERS
        from .nav_items import NAV_ITEMS
        from .questionnaires.evidence import COMMON, PAIRS, SUBJECT
        from .questionnaires.truth import hidden_events, refuse_who_judges
        from .reports.entries import entries
        from .tasks import TASKS
        from .views.finders import FINDERS

        register(
            Benchmark(
                items=files.CONFLICTBANK,
                formats={files.RELEASED: files.QA, files.OF_CLAIMS: files.CLAIMS, **FOLDERS},
                who_reads=WhoReads(refuse_who_judges),
                tasks=TASKS,
                purposes=(generation.ForEvidence(), generation.ForDescriptions(), ForPairs()),
                making=MakingOfConflicts(),
                wake=worker.wake_all,
                subjects=(SUBJECT,),
                questionnaires=(COMMON, PAIRS),
                reports=entries(),
                site=presentation,
                where_else=where_else,
                finders=FINDERS,
                nav_items=NAV_ITEMS,
                demo=demonstrate,
                demo_later=lacks_its_sample,
            )
        )
        registry.register("facts", lambda: pages().FACTS)
        registry.register("fact_names", lambda: pages().NAMES)
        registry.register("conflict_answers", lambda: pages().ANSWERS)
        registry.register("conflicts_release", lambda: pages().RELEASE)
        register_hidden(hidden_events)
        after_migrations(self, install_templates)
        after_migrations(self, lambda: install_baselines({generation.PATTERN: generation.PATTERN_LABEL}))


def where_else(begun: str) -> str:
    """The page for a file of this beginning, if it holds answers; imported on use."""
    from .answers import where_else

    return where_else(begun)


def pages():
    """The pages on which admins import facts and answers, fetch names and release conflicts; imported on use."""
    from .views import making

    return making


def presentation():
    from .site import PRESENTATION

    return PRESENTATION


def lacks_its_sample() -> bool:
    from judging.models import Run

    from .items import CODE

    return not Run.objects.filter(release__benchmark=CODE).exists()


def demonstrate() -> str:
    if not lacks_its_sample():
        return ""
    from .release.demo import demonstrate_floors

    return demonstrate_floors()
