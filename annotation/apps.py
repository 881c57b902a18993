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
        from core.background import registry
        from core.keeping import checks
        from core.leaving import own_data, pseudonyms
        from core.models import events
        from core.navigation.downloads import as_format, register_downloads
        from core.notices import mail
        from core.webhooks import feed, outbox

        from . import finders, first_page, health, nav_items
        from .assisting import model_suggestions
        from .desk import mail_outbox
        from .desk.comments import topics
        from .desk.comments.about_annotations import AboutAnnotation
        from .desk.visibility import blind_tags, hidden_events, note_events_read
        from .desk.work import people_data
        from .desk.work.work import hand_back, work_of
        from .models import Annotation, Comment, Skip, hooks
        from .practice.shipped import install_practice
        from .releases import announcing

        topics.register(AboutAnnotation)
        nav_items.register_nav_items()
        mail.register(*mail_outbox.KINDS)
        health.register_checks()
        outbox.register(*hooks.HOOK_EVENTS)
        outbox.register_hidden(hooks.ANNOTATION_RETURNED, lambda person: blind_tags(person).exists())
        feed.register(announcing.newest)
        finders.register()
        first_page.register()
        own_data.register("annotations", people_data.annotations_of)
        own_data.register("comments", people_data.comments_of)
        pseudonyms.register_fields(Comment, "text")
        pseudonyms.register_fields(Annotation, "review_message")
        pseudonyms.register_fields(Skip, "reason")
        work.register(work_of=work_of, hand_back=hand_back)
        events.register_hidden(hidden_events)
        events.register_reading(note_events_read)
        project.register_models("suggestion_model", model_suggestions.models_that_suggest)
        checks.register_check(wrong_releases)
        registry.register("annotations", lambda: import_kinds().ANNOTATIONS)
        registry.register("release", lambda: import_kinds().RELEASE)
        registry.register("label_studio", lambda: import_kinds().TASKS)
        registry.register("find", search_kind)
        register_downloads(
            release_download=lambda number, kind: f"release {number} {as_format(kind)}",
            export_now=lambda kind: f"the accepted annotations {as_format(kind)}",
            export_label_studio=lambda: "tasks with annotations for Label Studio",
            export_waiting_to_label_studio=lambda waiting_only: "waiting tasks for Label Studio",
            label_studio_config=lambda: "the labelling configuration for Label Studio",
        )
        on_prepare(install_practice)
        after_migrations(self, install_practice)


def import_kinds():
    """The pages on which admins import files; imported on use."""
    from .views import imports

    return imports


def search_kind():
    """The search for contradictions on the page Find; imported on use."""
    from .finding.searching import SEARCH

    return SEARCH


def wrong_releases() -> list[str]:
    """The releases whose content differs from what was frozen, in sentences."""
    from .models import Release  # as above: only once all apps are ready
    from .releases.files.writing import content_hash_of

    return [
        f"release {release.number} differs from what was frozen"
        for release in Release.objects.order_by("number")
        if content_hash_of(release) != release.content_hash
    ]
