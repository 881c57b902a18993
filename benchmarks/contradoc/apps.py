from django.apps import AppConfig


class ContradocConfig(AppConfig):
    name = "benchmarks.contradoc"
    label = "contradoc"

    def ready(self) -> None:
        from annotation.kinds import registry
        from annotation.releases.files import formats
        from judging import waking
        from judging.catalogue import purposes
        from judging.making.registry import register as register_making
        from review.site import entries as sites

        from . import files, finders, nav_items, questionnaires
        from .maker.maker import MAKER
        from .making import worker
        from .making.entry import MakingOfDocuments
        from .making.generation import ForStatements
        from .making.measuring import ForMeasurement
        from .making.registry import register as register_maker
        from .reports import entries as reports
        from .tasks import register_tasks

        registry.register(files.CONTRADOC)
        formats.register("json", files.JSON, benchmark=files.CONTRADOC.code)
        register_maker(MAKER)
        register_making(MakingOfDocuments(MAKER))
        purposes.register(ForStatements(), ForMeasurement())
        register_tasks()
        waking.register(worker.wake_measuring)
        questionnaires.register(release_round)
        reports.register_reports()
        sites.register(files.CONTRADOC.code, presentation)
        finders.register()
        nav_items.register_nav_items()


def release_round(round, name, admin):
    """Release the kept candidates of a round of verification, and those judged to be no contradiction."""
    from .release.releasing import release_candidates

    return release_candidates(rounds=[round], name=name, admin=admin)


def presentation():
    from .site import PRESENTATION

    return PRESENTATION
