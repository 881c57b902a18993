from django.apps import AppConfig

from core.apps import after_migrations


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        from annotation.assisting.model_suggestions import on_suggestion
        from annotation.desk.comments import topics
        from annotation.releases import announcing as releases
        from annotation.releases.files import tables
        from core.accounts.sample_people import on_prepare
        from core.models import events
        from core.webhooks import feed, outbox

        from . import finders, first_page, nav_items
        from .catalogue import purposes, standard
        from .models.hooks import RUN_ENDED
        from .responses.comments import AboutResponse, hidden_events
        from .runs import announcing
        from .runs.purposes import ForJudgment, ForResponse, ForSuggestion

        nav_items.register_nav_items()
        topics.register(AboutResponse)
        events.register_hidden(hidden_events)
        purposes.register(ForSuggestion(), ForResponse(), ForJudgment())
        outbox.register(RUN_ENDED)
        feed.register(announcing.newest)
        finders.register()
        first_page.register()
        on_suggestion(DeskSuggester())
        releases.on_release(lambda release: standard.install_tasks(release.benchmark))
        tables.register_tables(release_tables)
        on_prepare(standard.install_standard)
        on_prepare(demonstrate_baselines)
        offer_tasks()
        after_migrations(self, standard.install_standard)


def offer_tasks() -> None:
    """Releases as tasks for other programs; written only on use."""
    from annotation.releases.files.formats import FolderFormat, register

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
        register(code, FolderFormat(words, write), benchmark="wikicontradict")


class DeskSuggester:
    """The desk's suggestions by models: `annotation.assisting.model_suggestions.Suggester`. Imported on use."""

    def models(self) -> list[str]:
        from .runs import model_suggestions

        return model_suggestions.models_that_suggest()

    def ask(self, suggestion) -> None:
        from .runs import model_suggestions

        model_suggestions.ask(suggestion)

    def trouble(self, suggestion) -> str:
        from .runs import model_suggestions

        return model_suggestions.trouble(suggestion)

    def wake(self) -> None:
        from . import tasks

        tasks.wake_workers()


def demonstrate_baselines() -> str:
    from .models import Run

    if Run.objects.exists():
        return ""
    # Imported only here: the model client takes long to import, and most commands do not need it.
    from . import demo

    return demo.demonstrate_baselines()


def release_tables():
    from .files.release_tables import TABLES

    return TABLES
