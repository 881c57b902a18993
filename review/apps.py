from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        from judging import blinding

        from . import overview
        from .rounds import hidden_from

        overview.register_places()
        blinding.register(lambda person: hidden_from(person).exists())
