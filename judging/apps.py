from django.apps import AppConfig

from core.apps import after_migrations


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        from annotation.assisting.model_suggestions import on_suggestion
        from annotation.desk.comments import topics
        from annotation.releases import announcing as releases
        from annotation.releases import next_steps
        from annotation.releases.files import tables
        from core import project
        from core.accounts.sample_people import on_prepare
        from core.background import registry
        from core.keeping import draining, folders
        from core.models import events
        from core.navigation.downloads import as_format, register_downloads
        from core.webhooks import feed, outbox

        from . import finders, first_page, health, nav_items
        from .catalogue import purposes, standard
        from .models.hooks import RUN_ENDED
        from .responses.comments import AboutResponse, hidden_events
        from .runs import announcing
        from .runs.progress.progress import calls_in_flight
        from .runs.purposes import ForJudgment, ForResponse, ForSuggestion

        nav_items.register_nav_items()
        health.register_checks()
        topics.register(AboutResponse)
        events.register_hidden(hidden_events)
        purposes.register(ForSuggestion(), ForResponse(), ForJudgment())
        outbox.register(RUN_ENDED)
        feed.register(announcing.newest)
        finders.register()
        first_page.register()
        on_suggestion(DeskSuggester())
        project.register_models("counterparts_model", models_that_rank)
        releases.on_release(lambda release: standard.install_tasks(release.benchmark))
        tables.register_tables(release_tables)
        next_steps.register(nav_items.new_run)
        registry.register("responses", lambda: import_kinds().RESPONSES)
        registry.register("replies", lambda: import_kinds().REPLIES)
        register_downloads(
            responses_export=lambda kind: f"responses {as_format(kind)}",
            run_judgments_export=lambda pk, kind: f"the judgments of run {pk} {as_format(kind)}",
        )
        on_prepare(standard.install_standard)
        folders.register_recovery(recover_calls)
        draining.register_left(calls_in_flight)
        after_migrations(self, standard.install_standard)


def import_kinds():
    """The pages on which admins import files; imported on use."""
    from .views import files

    return files


def models_that_rank() -> list[str]:
    """As in `judging.making.reranking`, which is imported on use."""
    from .making.reranking import models_that_rank

    return models_that_rank()


def recover_calls() -> list[str]:
    """As in `judging.runs.recovery`, which is imported on use."""
    from .runs.recovery import recover_calls

    return recover_calls()


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


def release_tables():
    from .files.release_tables import TABLES

    return TABLES
