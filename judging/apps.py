from django.apps import AppConfig
from django.db.models.signals import post_migrate


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        from annotation.demo import on_prepare
        from annotation.desk.drafting import on_draft

        from . import overview, standard

        overview.register_places()
        on_draft(DeskDrafter())
        on_prepare(demonstrate_baselines)
        post_migrate.connect(standard.install_standard, sender=self)


class DeskDrafter:
    """What the annotators' desk may ask for; see `annotation.desk.drafting.Drafter`. Imported only when used."""

    def models(self) -> list[str]:
        from . import drafting

        return drafting.models_that_draft()

    def ask(self, draft) -> None:
        from . import drafting

        drafting.ask(draft)

    def trouble(self, draft) -> str:
        from . import drafting

        return drafting.trouble(draft)

    def wake(self) -> None:
        from . import tasks

        tasks.wake_workers()


def demonstrate_baselines() -> str:
    # Imported only here: the client for models takes its time, and most commands ask none.
    from . import demo

    return demo.demonstrate_baselines()
