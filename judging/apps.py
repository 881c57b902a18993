from django.apps import AppConfig
from django.db.models.signals import post_migrate


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        from annotation.demo import on_prepare

        from . import overview, standard

        overview.register_places()
        on_prepare(demonstrate_baselines)
        post_migrate.connect(standard.install_standard, sender=self)


def demonstrate_baselines() -> str:
    # Imported only here: the client for models takes its time, and most commands ask none.
    from . import demo

    return demo.demonstrate_baselines()
