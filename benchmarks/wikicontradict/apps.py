from django.apps import AppConfig


class WikicontradictConfig(AppConfig):
    name = "benchmarks.wikicontradict"
    label = "wikicontradict"

    def ready(self) -> None:
        """Register with the apps below everything that this benchmark offers."""
        from annotation.kinds import registry
        from annotation.releases.files import formats
        from judging.protocol import tasks
        from review.site import entries as sites

        from . import files, questionnaires
        from .reports import entries as reports
        from .tasks import PASSAGES

        registry.register(files.WIKICONTRADICT)
        formats.register_on_use(files.WIKICONTRADICT.code, files.own_formats)
        offer_tasks()
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


def presentation():
    from .site import PRESENTATION

    return PRESENTATION
