from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        from judging.responses import blinding

        from . import nav_items
        from .rounds.rounds import hidden_from

        nav_items.register_nav_items()
        blinding.register(lambda person: hidden_from(person).exists())
