from django.apps import AppConfig


class WikicontradictConfig(AppConfig):
    name = "benchmarks.wikicontradict"
    label = "wikicontradict"

    def ready(self) -> None:
        """Register with the apps below everything that this benchmark offers."""
        from annotation.kinds import registry
        from annotation.releases.files import formats
        from judging.files import other_files
        from judging.protocol import tasks
        from review.site import entries as sites

        from . import files, nav_items, questionnaires
        from .reports import entries as reports
        from .tasks import PASSAGES

        registry.register(files.WIKICONTRADICT)
        formats.register_on_use(files.WIKICONTRADICT.code, files.own_formats)
        offer_tasks()
        nav_items.register_nav_items()
        other_files.register(where_else)
        tasks.register(PASSAGES)
        questionnaires.register()
        reports.register_reports()
        sites.register(files.WIKICONTRADICT.code, presentation)


def offer_tasks() -> None:
    """Releases as tasks for other programs; written only on use."""
    from annotation.releases.files.formats import FolderFormat, register

    from .items import CODE

    def inspect(*args) -> None:
        from .harnesses.inspect_task import write_inspect

        write_inspect(*args)

    def lm_eval(*args) -> None:
        from .harnesses.lm_eval_task import write_lm_eval

        write_lm_eval(*args)

    for code, words, write in (
        ("inspect", "a task for Inspect: dataset, prompts, and the judge as a scorer", inspect),
        ("lm-eval", "tasks for lm-evaluation-harness, one for each prompt template", lm_eval),
    ):
        register(code, FolderFormat(words, write), benchmark=CODE)


def where_else(begun: str) -> str:
    """Return what to do with a file of this beginning if it is a human evaluation."""
    from .human_evaluation import recognising

    return recognising.where_else(begun)


def presentation():
    from .site import PRESENTATION

    return PRESENTATION
