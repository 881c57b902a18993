from django.apps import AppConfig

from core.apps import after_migrations


class ContradocConfig(AppConfig):
    name = "benchmarks.contradoc"
    label = "contradoc"

    def ready(self) -> None:
        """Register this benchmark's parts with the apps below."""
        from dataclasses import replace

        from core.background import registry
        from judging.catalogue.standard import install_baselines
        from review.reports.entries import register_note

        from ..benchmark import Benchmark, WhoReads, register
        from . import files, finders, nav_items
        from .maker.maker import MAKER
        from .maker.pattern import PATTERN, PATTERN_LABEL
        from .making import worker
        from .making.entry import MakingOfDocuments
        from .making.generation import ForStatements
        from .making.measuring import ForMeasurement
        from .questionnaires.finding import FINDING, refuse_who_finds
        from .questionnaires.free_format import FREE_FORMAT
        from .questionnaires.knowing import note_sources_read
        from .questionnaires.verification import SUBJECT, VERIFICATION
        from .reports.entries import entries
        from .tasks import TASKS

        register(
            Benchmark(
                items=files.CONTRADOC,
                formats={"json": files.JSON},
                who_reads=WhoReads(refuse_who_finds, note_sources_read),
                tasks=TASKS,
                purposes=(ForStatements(), ForMeasurement()),
                making=MakingOfDocuments(MAKER),
                wake=worker.wake_measuring,
                subjects=(SUBJECT,),
                questionnaires=(replace(VERIFICATION, release=release_round), FINDING, FREE_FORMAT),
                reports=entries(),
                site=presentation,
                finders=finders.FINDERS,
                nav_items=nav_items.NAV_ITEMS,
                demo=demonstrate,
                demo_later=lacks_its_sample,
            )
        )
        registry.register("documents", documents)
        register_note(invented_answers)
        after_migrations(self, lambda: install_baselines({PATTERN: PATTERN_LABEL}))


def documents():
    """The page on which admins import documents; imported on use."""
    from .views.documents import DOCUMENTS

    return DOCUMENTS


def release_round(round, name, admin):
    """Release the kept candidates of a round of verification, and those judged to be no contradiction."""
    from .release.releasing import release_candidates

    return release_candidates(rounds=[round], name=name, admin=admin)


def lacks_its_sample() -> bool:
    from judging.models import Run

    from .items import CODE

    return not Run.objects.filter(release__benchmark=CODE).exists()


def demonstrate() -> str:
    if not lacks_its_sample():
        return ""
    from .samples import work

    return work.demonstrate_documents()


def invented_answers(scope):
    from .samples import work

    return work.invented_answers(scope)


def presentation():
    from .site import PRESENTATION

    return PRESENTATION
