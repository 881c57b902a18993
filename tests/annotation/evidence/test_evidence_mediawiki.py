"""Evidence from a real MediaWiki: what is kept, what is said of what cannot be had, what is tried again."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation import tasks
from annotation.content.word_changes import ADDED, word_changes
from annotation.evidence import ask_again, ask_for_article, ask_for_evidence, work_off
from annotation.models import (
    Annotation,
    AnnotationAction,
    Article,
    Evidence,
    EvidenceKind,
    EvidenceRequest,
    Rendering,
    RequestState,
    Tag,
    Wiki,
)
from core.models import Event
from core.refusals import Refusal
from tests.annotation.evidence_helpers import evidence_of, harvested, request_of
from tests.factories import WikiFactory

pytestmark = [pytest.mark.mediawiki, pytest.mark.django_db]
ARTICLE, HISTORY, TALK, OTHER, FURTHER = EvidenceKind


@pytest.fixture
def wiki_row(wiki, db) -> Wiki:
    return WikiFactory(name="Wikipedia (en)", api_url=wiki.api_url, language="en")


@pytest.fixture
def fetched(wiki_row, wiki):
    """`fetched("Velm Bridge")` gives its tags with their evidence fetched."""

    def fetch(*titles: str) -> list[Tag]:
        tags = harvested(wiki_row, *titles)
        wiki.reset()
        for tag in tags:
            ask_for_evidence(tag=tag)
            work_off(tag.pk)
        return tags

    return fetch


@pytest.fixture
def own_page(wiki):
    """An article with two revisions."""
    title = "Page with a past"
    wiki.edit(title, "It has 20 rooms. It has 30 rooms.")
    wiki.edit(title, "It has 20 rooms.{{Inconsistent|date=May 2023}} It has 30 rooms.")
    wiki.reset()
    return title


def due_now() -> None:
    """As if the pause before another try were over."""
    EvidenceRequest.objects.update(not_before=timezone.now() - timedelta(seconds=1))


# --- What is kept ------------------------------------------------------------------------------------------------


def test_the_article_of_the_tagged_revision_with_the_paragraph_marked(fetched, wiki):
    (tag, _) = fetched("Harrow Point Lighthouse")
    article = evidence_of(tag, ARTICLE)
    assert article.revision_id == tag.article.revision_id
    assert article.rendering == Rendering.WIKI
    assert article.url == f"{wiki.api_url.removesuffix('api.php')}index.php?oldid={article.revision_id}"
    assert '<p class="ev-tagged"><b>Harrow Point Lighthouse</b> stands' in article.html
    assert '<sup class="ev-aside ev-this-tag">[inconsistent]</sup>' in article.html
    assert article.html.count("ev-tagged") == 1
    assert [heading["title"] for heading in article.details["headings"]] == ["Tower", "Keepers"]
    assert article.details["tag_found"]
    assert article.details["notes"] == []
    assert request_of(tag, ARTICLE).evidence == article


def test_each_tag_of_an_article_has_its_own_mark_and_the_wiki_is_asked_once(fetched, wiki):
    first, second = fetched("Harrow Point Lighthouse")
    assert '<li class="ev-tagged">Ruth Graye' in evidence_of(second, ARTICLE).html
    assert '<p class="ev-tagged"><b>Harrow' in evidence_of(first, ARTICLE).html
    assert sum(asked["parameters"].get("oldid") is not None for asked in wiki.requests()) == 1


def test_rows_of_tables_and_infoboxes_are_marked(fetched):
    infobox, _, table = fetched("Velm Bridge")
    assert '<tr class="ev-tagged">\n<td>Opened</td>' in evidence_of(infobox, ARTICLE).html
    assert '<tr class="ev-tagged">\n<td>Middle</td>' in evidence_of(table, ARTICLE).html


def test_who_added_the_tag_with_the_change_of_the_paragraph(fetched, wiki):
    (tag,) = fetched("Ostrow Observatory")
    history = evidence_of(tag, HISTORY)
    assert (history.details["editor"], history.details["comment"]) == ("Wren", "which year?")
    assert history.revised_at.isoformat() == "2022-07-08T10:00:00+00:00"
    assert history.url.endswith(f"index.php?diff={history.revision_id}")
    before, after = history.details["before"], history.details["after"]
    assert before == "Ostrow Observatory was founded in 1902. Its founding in 1906 was celebrated."
    added = "".join(change.text for change in word_changes(before, after) if change.kind == ADDED)
    assert added.strip(". ") == "{{Inconsistent|date=July 2022}}"
    assert len([asked for asked in wiki.requests() if "rvprop" in asked["parameters"]]) <= 3


def test_the_history_tab_shows_the_edit_that_added_the_tag(fetched, annotator, sign_in):
    (tag,) = fetched("Ostrow Observatory")
    client = sign_in(annotator)
    client.post(reverse("desk_next"))
    draft = Annotation.objects.get(tag=tag)
    shown = client.get(reverse("desk_evidence", args=[draft.pk, "history"]), headers={"HX-Request": "true"}).text
    assert "Wren" in shown
    assert "which year?" in shown
    assert "<ins" in shown


def test_the_talk_page_with_what_speaks_of_the_contradiction_first(fetched, wiki):
    talk = "Talk:Harrow Point Lighthouse"
    wiki.edit(talk, "Banner.\n\n== Photographs ==\nNice.\n\n== Height ==\nThese heights contradict: 31 or 27 metres?")
    (tag, _) = fetched("Harrow Point Lighthouse")
    page = evidence_of(tag, TALK)
    assert page.title == talk
    assert [heading["title"] for heading in page.details["headings"]] == ["Height", "Photographs"]
    assert page.html.index("contradict") < page.html.index("Nice.")
    assert page.html.count("ev-mentions") == page.html.count("ev-tagged") == 1


def test_the_other_article_that_the_tag_names(fetched):
    (tag,) = fetched("Tarn Valley Railway")
    other = evidence_of(tag, OTHER)
    assert other.title == "Tarn Valley line"
    assert other.revision_id
    assert request_of(tag, OTHER).subject == "Tarn Valley line"


def test_what_was_fetched_is_frozen(fetched):
    (tag,) = fetched("Ostrow Observatory")
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        Evidence.objects.filter(tag=tag).update(page=None)


def test_fetching_again_asks_nothing_and_doubles_nothing(fetched, wiki):
    (tag,) = fetched("Ostrow Observatory")
    rows = list(Evidence.objects.values())
    wiki.reset()
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    assert wiki.requests() == []
    ask_again(request=request_of(tag, ARTICLE))
    work_off(tag.pk)
    assert list(Evidence.objects.values()) == rows


def test_the_talk_page_asked_for_again_is_kept_beside_the_old_one(fetched, wiki):
    talk = "Talk:Ostrow Observatory"
    wiki.edit(talk, "First.")
    (tag,) = fetched("Ostrow Observatory")
    wiki.edit(talk, "Second.")
    ask_again(request=request_of(tag, TALK))
    work_off(tag.pk)
    kept = Evidence.objects.filter(tag=tag, kind=TALK)
    assert [("First." in page.html, "Second." in page.html) for page in kept] == [(True, False), (False, True)]
    assert request_of(tag, TALK).evidence == kept[1]


def test_a_tag_takes_few_requests(fetched, wiki):
    fetched("Ostrow Observatory")
    assert len(wiki.requests()) <= 6


def test_the_worker_fetches_after_a_harvest(wiki_row, wiki, settings):
    settings.EVIDENCE_AHEAD = True
    (tag,) = harvested(wiki_row, "Ostrow Observatory")
    tasks.wake_evidence()
    assert not EvidenceRequest.objects.unanswered().exists()
    assert evidence_of(tag, ARTICLE)


# --- More articles -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Velm Bridge", "velm_Bridge", "[[Velm Bridge]]", "Old Velm Bridge", "ADDRESS"])
def test_a_further_article_by_title_or_address(fetched, annotator, wiki, text):
    (tag,) = fetched("Ostrow Observatory")
    text = f"http://127.0.0.1:{wiki.port}/wiki/Velm_Bridge#Spans" if text == "ADDRESS" else text
    request = ask_for_article(tag=tag, text=text, by=annotator)
    work_off(tag.pk)
    request.refresh_from_db()
    assert request.state == RequestState.DONE
    assert request.evidence.title == "Velm Bridge"
    assert "Velm Bridge" in request.evidence.html
    assert Event.objects.about(tag).filter(action=AnnotationAction.ASKED_FOR_ARTICLE, actor=annotator).count() == 1
    if text == "Old Velm Bridge":
        assert "redirects to" in request.evidence.details["notes"][0]


def test_the_same_article_asked_for_twice_is_one_request(fetched, annotator, wiki):
    (tag,) = fetched("Ostrow Observatory")
    first = ask_for_article(tag=tag, text="Velm Bridge", by=annotator)
    work_off(tag.pk)
    assert ask_for_article(tag=tag, text="[[Velm Bridge]]", by=annotator) == first
    work_off(tag.pk)
    assert Evidence.objects.filter(kind=FURTHER).count() == 1


def test_an_article_that_does_not_exist_is_said(fetched, annotator):
    (tag,) = fetched("Ostrow Observatory")
    request = ask_for_article(tag=tag, text="No such bridge", by=annotator)
    work_off(tag.pk)
    request.refresh_from_db()
    assert request.state == RequestState.MISSING
    assert "The page you specified doesn't exist" in request.reason


def test_an_article_of_another_wiki_that_is_allowed(fetched, annotator, wiki):
    """The same wiki under its other name stands in for one of another language."""
    (tag,) = fetched("Ostrow Observatory")
    german = WikiFactory(api_url=f"http://localhost:{wiki.port}/w/api.php", language="de")
    request = ask_for_article(tag=tag, text=f"http://localhost:{wiki.port}/wiki/Velm_Bridge", by=annotator)
    work_off(tag.pk)
    request.refresh_from_db()
    assert (request.wiki, request.evidence.language) == (german, "de")
    german.is_allowed = False
    german.save()
    with pytest.raises(Refusal, match="may be asked"):
        ask_for_article(tag=tag, text=f"http://localhost:{wiki.port}/wiki/Other", by=annotator)


# --- What cannot be had ------------------------------------------------------------------------------------------


def test_an_article_without_a_talk_page(fetched):
    (tag,) = fetched("Ostrow Observatory")
    talk = request_of(tag, TALK)
    assert (talk.state, talk.reason) == (RequestState.MISSING, "This article has no talk page.")


def test_a_deleted_article_is_read_from_what_was_stored(wiki_row, wiki):
    wiki.edit("Short-lived page", "It has 20 rooms.{{Inconsistent|date=May 2023}} It has 30 rooms.")
    (tag,) = harvested(wiki_row, "Short-lived page")
    wiki.delete("Short-lived page")
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    article = evidence_of(tag, ARTICLE)
    assert article.rendering == Rendering.WIKITEXT
    assert "deleted" in article.details["notes"][0]
    assert '<p class="ev-tagged">It has 20 rooms.' in article.html
    for kind in (HISTORY, TALK):
        request = request_of(tag, kind)
        assert request.state == RequestState.MISSING
        assert "longer" in request.reason or "deleted" in request.reason


def test_a_suppressed_revision_is_read_from_what_was_stored(wiki_row, wiki, own_page):
    (tag,) = harvested(wiki_row, own_page)
    revision = tag.article.revision_id
    wiki.edit(own_page, "It has 30 rooms.")
    with wiki.database() as database:
        database.execute("UPDATE revision SET rev_deleted = 7 WHERE rev_id = ?", (revision,))
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    article = evidence_of(tag, ARTICLE)
    assert article.rendering == Rendering.WIKITEXT
    assert "hides this revision" in article.details["notes"][0]
    history = evidence_of(tag, HISTORY)  # the stored text tells where to begin
    assert history.details["editor_is_hidden"]
    assert history.details["editor"] == ""


def test_an_article_renamed_since_says_its_new_name(wiki_row, wiki, own_page):
    (tag,) = harvested(wiki_row, own_page)
    wiki.move(own_page, "Page with a name")
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    article = evidence_of(tag, ARTICLE)
    assert article.details["renamed_to"] == "Page with a name"
    assert article.rendering == Rendering.WIKI
    assert evidence_of(tag, HISTORY).details["editor"] == "Keeper"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"answer": "status", "status": 503}, "has a problem"),
        ({"answer": "half"}, "broke off"),
        ({"answer": "html"}, "instead of JSON"),
        ({"answer": "status", "status": 429, "retry_after": 3600}, "too many requests"),
    ],
)
def test_a_wiki_in_trouble_is_tried_again_later_and_the_stored_text_serves_meanwhile(
    wiki_row, wiki, fault, said, monkeypatch
):
    monkeypatch.setattr("annotation.evidence.fetching.LONGEST_WAIT", 0)
    (tag,) = harvested(wiki_row, "Ostrow Observatory")
    wiki.reset()
    wiki.fault(**fault)
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    waiting = request_of(tag, ARTICLE)
    assert waiting.state == RequestState.WAITING
    assert said in waiting.reason
    pause = waiting.not_before - timezone.now()
    assert timedelta(minutes=50) < pause if "retry_after" in fault else timedelta(seconds=20) < pause
    assert len(wiki.requests()) == 1, "the other requests wait with it"
    assert evidence_of(tag, ARTICLE).rendering == Rendering.WIKITEXT
    wiki.reset()
    due_now()
    tasks.wake_evidence()
    assert {page.rendering for page in Evidence.objects.filter(tag=tag, kind=ARTICLE)} == {"wikitext", "wiki"}
    assert request_of(tag, ARTICLE).state == RequestState.DONE
    assert request_of(tag, ARTICLE).reason == ""


def test_a_wiki_that_stays_away_is_given_up_on_in_words_and_can_be_asked_again(wiki_row, wiki, monkeypatch):
    monkeypatch.setattr("annotation.evidence.fetching.LONGEST_WAIT", 0)
    (tag,) = harvested(wiki_row, "Ostrow Observatory")
    wiki.fault("status", status=500)
    ask_for_evidence(tag=tag)
    for _ in range(10):
        due_now()
        work_off(tag.pk)
    given_up = request_of(tag, ARTICLE)
    assert given_up.state == RequestState.MISSING
    assert "It was tried 8 times." in given_up.reason
    wiki.reset()
    ask_again(request=given_up)
    work_off(tag.pk)
    assert request_of(tag, ARTICLE).state == RequestState.DONE


def test_a_wiki_that_was_disallowed_is_not_asked(wiki_row, wiki):
    (tag,) = harvested(wiki_row, "Ostrow Observatory")
    wiki.reset()
    Wiki.objects.update(is_allowed=False)
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    assert wiki.requests() == []
    assert evidence_of(tag, ARTICLE).rendering == Rendering.WIKITEXT
    assert "An admin can allow it" in request_of(tag, HISTORY).reason


def test_a_newer_revision_that_the_tag_followed_is_fetched_besides(wiki_row, wiki, own_page):
    (tag,) = harvested(wiki_row, own_page)
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    wiki.edit(own_page, "It has 21 rooms.{{Inconsistent|date=May 2023}} It has 30 rooms.")
    (tag,) = [one for one in harvested(wiki_row, own_page) if one.gone_at is None]
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    kept = Evidence.objects.filter(tag=tag, kind=ARTICLE)
    assert [page.revision_id for page in kept] == sorted(Article.objects.values_list("revision_id", flat=True))
    assert "21 rooms" in kept[1].html


# --- Once per page -----------------------------------------------------------------------------------------------


def test_the_tags_of_one_page_share_what_the_wiki_is_asked(wiki_row, wiki, own_page):
    one = "It has 20 rooms.{{Inconsistent|date=May 2023}} It has 30 rooms."
    wiki.edit(own_page, f"{one}\n\nThe mill has 2 wheels.{{{{Inconsistent|date=June 2023}}}} It has 5 wheels.")
    tags = harvested(wiki_row, own_page)
    assert len(tags) == 2
    wiki.reset()
    ask_for_evidence(tag=tags[0], urgent=True)
    work_off(tags[0].pk)
    asked = [str(request["parameters"]) for request in wiki.requests()]
    assert len(asked) == len(set(asked)), "nothing is asked twice"
    assert len(asked) <= 5  # the page, the list of revisions, their texts in one or two, the talk page
    for tag in tags:
        assert evidence_of(tag, ARTICLE).details["tag_found"]
        assert request_of(tag, HISTORY).state == RequestState.DONE
        assert request_of(tag, TALK).state == RequestState.MISSING  # it has none
    assert evidence_of(tags[0], HISTORY).revision_id != evidence_of(tags[1], HISTORY).revision_id
    # Asked again, no answer of before is used again; the page itself cannot have changed.
    wiki.reset()
    for request in EvidenceRequest.objects.filter(tag=tags[0]):
        ask_again(request=request)
    work_off(tags[0].pk)
    asked = [str(request["parameters"]) for request in wiki.requests()]
    assert len(asked) == len(set(asked)) == 3  # the list of revisions, their texts, the talk page


def test_edits_within_one_second_are_no_absence_of_the_tag(wiki_row, wiki, own_page):
    one = "It has 20 rooms.{{Inconsistent|date=May 2023}} It has 30 rooms."
    wiki.edit(own_page, f"{one} It has a mill.")
    with wiki.database() as database:
        of_page = "FROM page WHERE CAST(page_title AS TEXT) = 'Page_with_a_past'"
        database.execute(
            f"UPDATE revision SET rev_timestamp = (SELECT page_touched {of_page})"
            f" WHERE rev_page = (SELECT page_id {of_page})"
        )
    (tag,) = harvested(wiki_row, own_page)
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    history = evidence_of(tag, HISTORY)
    assert history.details["before"] == "It has 20 rooms. It has 30 rooms."
    assert history.details["absences"] == []


def test_the_revert_of_vandalism_did_not_add_the_tag(wiki_row, wiki, own_page):
    tagged = "It has 20 rooms.{{Inconsistent|date=May 2023}} It has 30 rooms."
    wiki.edit(own_page, "VANDALS WERE HERE")
    wiki.edit(own_page, tagged)
    (tag,) = harvested(wiki_row, own_page)
    ask_for_evidence(tag=tag)
    work_off(tag.pk)
    history = evidence_of(tag, HISTORY)
    assert history.details["before"] == "It has 20 rooms. It has 30 rooms."
    (absence,) = history.details["absences"]
    assert history.revision_id < absence["removed"]["revision_id"] < absence["restored"]["revision_id"]
    assert absence["restored"]["revision_id"] == tag.article.revision_id
