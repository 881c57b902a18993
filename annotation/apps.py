from django.apps import AppConfig

from core.apps import after_migrations


class AnnotationConfig(AppConfig):
    name = "annotation"
    # Every admin may read its events: see `core.views.project`.
    has_open_log = True

    def ready(self) -> None:
        from core import project
        from core.accounts import work
        from core.accounts.sample_people import on_prepare
        from core.models import events
        from core.webhooks import feed, outbox

        from . import finders, first_page, health, nav_items
        from .assisting import model_suggestions
        from .desk.comments import topics
        from .desk.comments.about_annotations import AboutAnnotation
        from .desk.visibility import blind_tags, hidden_events, note_events_read
        from .desk.work.work import hand_back, work_of
        from .models import hooks
        from .practice.shipped import install_practice
        from .releases import announcing

        topics.register(AboutAnnotation)
        nav_items.register_nav_items()
        health.register_checks()
        outbox.register(*hooks.HOOK_EVENTS)
        outbox.register_hidden(hooks.ANNOTATION_RETURNED, lambda person: blind_tags(person).exists())
        feed.register(announcing.newest)
        finders.register()
        first_page.register()
        work.register(work_of=work_of, hand_back=hand_back)
        events.register_hidden(hidden_events)
        events.register_reading(note_events_read)
        project.register_models_that_suggest(model_suggestions.models_that_suggest)
        on_prepare(install_practice)
        after_migrations(self, install_practice)
