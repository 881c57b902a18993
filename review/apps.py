from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        from annotation.releases import tables
        from core.models import events
        from judging.responses import blinding

        from . import finders, first_page, nav_items
        from .rounds.rounds import held_back, hidden_events, hidden_from

        nav_items.register_nav_items()
        finders.register()
        first_page.register()
        events.register_hidden(hidden_events)
        blinding.register(lambda person: hidden_from(person).exists())
        blinding.register_held_back(held_back)
        tables.register_tables(release_tables)


def release_tables():
    from .files.release_tables import TABLES

    return TABLES
