"""Changes to tags since they were annotated, from a real MediaWiki on which editors went on working."""

from pathlib import Path

import pytest
from django.utils import timezone

from annotation import tasks
from annotation.evidence.watch import ask_to_look, release_states, tags_to_watch, watch_all, watch_state, watch_tags
from annotation.mediawiki import RevisionText
from annotation.models import AnnotationState, Passage, Release, ReleasedRecord, Tag, WatchResult, WatchState, Wiki
from core.models import Event
from tests.annotation.evidence_helpers import harvested
from tests.factories import AnnotationFactory, TagFactory, WikiFactory
from tests.mediawiki.fixtures import put_back

pytestmark = [pytest.mark.mediawiki, pytest.mark.django_db]

TITLE = "Watched page"
FIRST = "It has 20 rooms.{{Inconsistent|date=May 2023}}"
SECOND = "A survey counted 30 rooms."


def text(first: str = FIRST, second: str = SECOND) -> str:
    return f"Some words before.\n\n{first}\n\n== Survey ==\n{second}"


@pytest.fixture(scope="module")
def with_watched_page(mediawiki_server, tmp_path_factory) -> Path:
    """The wiki's content with the watched page: to copy it takes less than to edit."""
    mediawiki_server.edit(TITLE, text())
    folder = tmp_path_factory.mktemp("watched")
    put_back(mediawiki_server.folder, folder)
    return folder


@pytest.fixture
def edit(wiki, with_watched_page):
    """`edit(text)` makes a new revision of the watched page."""
    put_back(with_watched_page, wiki.folder)
    wiki.reset()
    return lambda new: wiki.edit(TITLE, new)


@pytest.fixture
def tag(edit, wiki, db) -> Tag:
    row = WikiFactory(name="Wikipedia (en)", api_url=wiki.api_url, language="en")
    (tag,) = harvested(row, TITLE)
    annotation = AnnotationFactory(tag=tag)
    for position, passage in ((1, "It has 20 rooms."), (2, SECOND)):
        Passage.objects.filter(annotation=annotation, position=position).update(text=passage)
    wiki.reset()
    return tag


def look(tag: Tag) -> WatchResult:
    watch_all()
    result = watch_state(tag)
    assert result
    return result


def test_nothing_is_known_before_the_first_look(tag):
    assert watch_state(tag) is None


def test_an_article_that_stayed_is_unchanged(tag, edit):
    result = look(tag)
    assert (result.state, result.tag_is_there) == (WatchState.UNCHANGED, True)
    assert result.revision_id == tag.article.revision_id
    edit(text() + "\n\nMore words at the end.")
    later = look(tag)
    assert later.state == WatchState.UNCHANGED
    assert later.revision_id > result.revision_id
    assert later.url.endswith(f"?oldid={later.revision_id}")
    assert later.revised_at


def test_a_tag_that_was_taken_out(tag, edit):
    edit(text("It has 20 rooms."))
    result = look(tag)
    assert (result.state, result.tag_is_there) == (WatchState.TAG_GONE, False)
    assert "the passages are still there" in result.message
    event = Event.objects.about(tag).get(action="watched")
    assert event.after == {"state": "tag gone", "revision_id": result.revision_id}


def test_a_contradiction_that_was_resolved(tag, edit):
    edit(text("It has 30 rooms."))
    result = look(tag)
    assert result.state == WatchState.TAG_GONE
    assert "have changed as well" in result.message


def test_a_passage_that_changed_under_the_tag(tag, edit):
    edit(text("It has 25 rooms.{{Inconsistent|date=May 2023}}"))
    result = look(tag)
    assert (result.state, result.tag_is_there) == (WatchState.CHANGED, True)
    assert "passage 1" in result.message
    assert result.paragraph == "It has 25 rooms."


def test_the_other_passage_counts_too(tag, edit):
    edit(text(second="A survey counted 20 rooms."))
    assert "passage 2" in look(tag).message


def test_a_passage_that_only_moved_is_unchanged(tag, edit):
    edit(f"== Rooms ==\n{FIRST}\n\nNew words.\n\n== Surveys ==\n{SECOND}")
    assert look(tag).state == WatchState.UNCHANGED


def test_a_tag_that_a_bot_dated_is_still_there(tag, edit):
    edit(text("It has 20 rooms.{{Inconsistent|date=June 2023}}"))
    assert look(tag).state == WatchState.UNCHANGED


def test_a_tag_that_came_back(tag, edit):
    edit(text("It has 20 rooms."))
    look(tag)
    edit(text())
    assert look(tag).state == WatchState.UNCHANGED
    states = WatchResult.objects.filter(tag=tag).values_list("state", flat=True)
    assert list(states) == ["tag gone", "unchanged"]


def test_an_article_that_became_a_redirect_or_was_deleted(tag, edit, wiki):
    edit("#REDIRECT [[Velm Bridge]]")
    result = look(tag)
    assert result.state == WatchState.ARTICLE_GONE
    assert "redirect" in result.message
    wiki.delete(TITLE)
    result = look(tag)
    assert (result.state, result.revision_id) == (WatchState.ARTICLE_GONE, None)
    assert "deleted" in result.message


def test_without_passages_the_tagged_paragraph_is_watched(tag, edit):
    Passage.objects.update(text="")
    edit(text("It has 25 rooms.{{Inconsistent|date=May 2023}}"))
    result = look(tag)
    assert result.state == WatchState.CHANGED
    assert "the tagged paragraph" in result.message


def test_a_hidden_revision_is_said_to_be_unknown(tag, edit, monkeypatch):
    edit(text("Something unlawful."))
    monkeypatch.setattr(
        "annotation.evidence.watch.WikiClient.texts",
        lambda client, ids: {one: RevisionText(7, TITLE, one, timezone.now(), None) for one in ids},
    )
    result = look(tag)
    assert result.state == WatchState.UNKNOWN
    assert "hides" in result.message


def test_looking_again_at_the_same_revision_asks_for_no_text_and_adds_no_row(tag, wiki):
    first = look(tag)
    wiki.reset()
    again = look(tag)
    assert again.pk == first.pk
    assert again.last_seen_at > first.last_seen_at
    assert again.first_seen_at == first.first_seen_at
    assert len(wiki.requests()) == 1


def test_a_wiki_in_trouble_leaves_what_was_found(tag, wiki, monkeypatch):
    first = look(tag)
    wiki.fault("status", status=403)
    assert look(tag) == first


def test_only_tags_that_people_worked_on_are_watched(tag):
    untouched = TagFactory(article__wiki=tag.article.wiki, article__title="Other")
    opened = AnnotationFactory(
        tag__article__wiki=tag.article.wiki, state=AnnotationState.DRAFT, submitted_at=None, version=0
    )
    AnnotationFactory()  # of another wiki, which may be asked
    Wiki.objects.exclude(pk=tag.article.wiki_id).update(is_allowed=False)
    assert tags_to_watch() == [tag]
    assert untouched not in tags_to_watch()
    assert opened.tag not in tags_to_watch()


def test_the_night_task_and_a_look_on_demand(tag, edit):
    edit(text("It has 20 rooms."))
    tasks.watch_articles()
    assert watch_state(tag).state == WatchState.TAG_GONE
    WatchResult.objects.all().delete()
    ask_to_look(tag=tag)
    tasks.watch_tag(tag.pk)
    tasks.watch_tag(tag.pk)  # a doubled message
    assert watch_state(tag).state == WatchState.TAG_GONE
    assert watch_tags([tag]) == {WatchState.TAG_GONE: 1}
    assert WatchResult.objects.count() == 1


def test_a_release_says_how_its_tags_stand_and_keeps_its_text(tag, edit):
    release = Release.objects.create(number=1, benchmark="wikicontradict", name="First", content_hash="x")
    ReleasedRecord.objects.create(
        release=release, position=1, annotation=tag.annotations.get(), content='{"paragraph_A": "It has 20 rooms."}'
    )
    assert release_states(release) == {}
    edit(text("It has 30 rooms."))
    watch_all()
    assert release_states(release) == {WatchState.TAG_GONE: 1}
    assert ReleasedRecord.objects.get().content == '{"paragraph_A": "It has 20 rooms."}'
