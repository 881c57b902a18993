from django.apps import AppConfig


class WikicontradictConfig(AppConfig):
    name = "benchmarks.wikicontradict"
    label = "wikicontradict"

    def ready(self) -> None:
        """Register this benchmark's parts with the apps below."""
        from core.background import registry
        from review.reports.entries import register_note
        from review.rounds.keeping.verdicts import VERDICT

        from ..benchmark import Benchmark, register
        from . import files, nav_items
        from .questionnaires.verdicts import QUESTIONNAIRE
        from .reports.entries import REPORTS
        from .tasks import PASSAGES

        register(
            Benchmark(
                items=files.WIKICONTRADICT,
                formats=for_other_programs(),
                formats_on_use=files.own_formats,
                tasks=(PASSAGES,),
                questionnaires=(QUESTIONNAIRE,),
                keeping={QUESTIONNAIRE.code: VERDICT},
                reports=REPORTS,
                site=presentation,
                where_else=where_else,
                nav_items=nav_items.NAV_ITEMS,
                demo=demonstrate_baselines,
            )
        )
        registry.register("human_evaluation", human_evaluation)
        register_note(invented_verdicts)


def human_evaluation():
    """The page on which admins import human evaluations; imported on use."""
    from .views.human_evaluation import HUMAN_EVALUATION

    return HUMAN_EVALUATION


def for_other_programs():
    """Releases as tasks for other programs, by the codes of their formats; imported on use."""
    from annotation.releases.files.formats import FolderFormat

    def inspect(*args) -> None:
        from .harnesses.inspect_task import write_inspect

        write_inspect(*args)

    def lm_eval(*args) -> None:
        from .harnesses.lm_eval_task import write_lm_eval

        write_lm_eval(*args)

    return {
        "inspect": FolderFormat("a task for Inspect: dataset, prompts, and the judge as a scorer", inspect),
        "lm-eval": FolderFormat("tasks for lm-evaluation-harness, one for each prompt", lm_eval),
    }


def demonstrate_baselines() -> str:
    # Imported only here: the model client takes long to import, and most commands do not need it.
    from . import demo

    return demo.demonstrate_baselines()


def invented_verdicts(scope):
    from . import sample_rounds

    return sample_rounds.invented_verdicts(scope)


def where_else(begun: str) -> str:
    """Return what to do with a file of this beginning if it is a human evaluation."""
    from .human_evaluation import recognising

    return recognising.where_else(begun)


def presentation():
    from .site import PRESENTATION

    return PRESENTATION
