from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        from core.models import events
        from judging.responses import blinding

        from . import finders, nav_items
        from .rounds.rounds import hidden_events, hidden_from

        nav_items.register_nav_items()
        finders.register()
        events.register_hidden(hidden_events)
        blinding.register(lambda person: hidden_from(person).exists())
