"""Counterparts at the desk: suggested from the stored article, recorded once, taken by their annotator only."""

import html
import json
import re

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation import evidence
from annotation.evidence.counterparts import is_offered
from annotation.models import CounterpartOffer, Evidence, Tag
from annotation.reading.page_sentences import page_texts
from annotation.releases.files.work_export import work_record
from core.models import Project, Role
from core.project import change_settings
from tests.conftest import make_person
from tests.factories import TagFactory

from ..desk_helpers import claim, complete_content, save, submit

WIKITEXT = """{{Infobox bridge
| name = Harbour Bridge
| opened = 1903
}}
The Harbour Bridge crosses the river.

== Opening ==
The bridge was opened to traffic in 1899.{{Inconsistent|date=May 2024}} Its deck is of steel.

== Later use ==
The last tram crossed in 1964.
"""


@pytest.fixture
def draft(annotator):
    tag = TagFactory(
        article__title="Harbour Bridge",
        article__wikitext=WIKITEXT,
        article__wiki__is_allowed=False,
        paragraph="The bridge was opened to traffic in 1899.{{Inconsistent|date=May 2024}} Its deck is of steel.",
        paragraph_clean="The bridge was opened to traffic in 1899. Its deck is of steel.",
        section="Opening",
    )
    evidence.ask_for_evidence(tag=tag)
    evidence.work_off(tag.pk)
    return claim(annotator)


def post(client, name: str, draft, **sent):
    return client.post(reverse(name, args=[draft.pk]), json.dumps(sent), content_type="application/json")


def test_the_likeliest_are_suggested_with_reason_and_offsets(draft, anna):
    answer = post(anna, "desk_counterparts", draft).json()
    assert answer["is_here"] is True
    best = answer["counterparts"][0]
    assert best["text"] == "Opened 1903"
    assert best["reason"] == "1899 ≠ 1903, other date"
    assert len(answer["counterparts"]) <= 3
    kept = Evidence.objects.get(pk=best["evidence"])
    page = page_texts(kept.html)
    assert [text.words for text in page.texts if (text.start, text.end) == (best["start"], best["end"])] == [
        best["text"]
    ]
    words = re.sub("<[^>]+>", "", html.unescape(kept.html))[best["start"] : best["end"]]
    taken = post(
        anna,
        "desk_select",
        draft,
        evidence=best["evidence"],
        start=best["start"],
        end=best["end"],
        words=words,
        position=2,
    )
    assert taken.status_code == 200


def test_they_are_computed_and_recorded_once(draft, anna):
    first = post(anna, "desk_counterparts", draft).json()
    change_settings(admin=draft.annotator, counterparts_on=False)
    assert post(anna, "desk_counterparts", draft).json() == first
    assert CounterpartOffer.objects.count() == 1


def put(client, draft, text: dict, position: int = 2):
    """Put the text of a suggestion into a passage, as the desk does before it says that it was taken."""
    where = {name: text[name] for name in ("evidence", "start", "end")}
    answer = post(client, "desk_select", draft, **where, words=text["text"], position=position, is_first=True)
    assert answer.status_code == 200, answer.text
    return answer.json()["sources"]


def test_what_was_taken_is_kept_and_exported(draft, anna):
    shown = post(anna, "desk_counterparts", draft).json()["counterparts"]
    put(anna, draft, shown[0])
    assert post(anna, "desk_counterpart", draft, number=0, taken_with="key").status_code == 200
    record = work_record(draft)["counterparts"]
    assert (record["is_on"], record["taken"], record["taken_with"]) == (True, 0, "key")
    assert [each["text"] for each in record["shown"]] == [each["text"] for each in shown]


@pytest.mark.parametrize("undoes", ["desk_sources", "desk_select"])
def test_a_suggestion_that_was_taken_back_does_not_count_as_taken(draft, anna, undoes):
    shown = post(anna, "desk_counterparts", draft).json()["counterparts"]
    put(anna, draft, shown[0])
    post(anna, "desk_counterpart", draft, number=0, taken_with="key")
    if undoes == "desk_sources":  # Ctrl Z, or the passage was cleared
        assert post(anna, "desk_sources", draft, position=2, parts=[]).status_code == 200
    else:  # another text was selected instead
        deck = Evidence.objects.get(pk=shown[0]["evidence"])
        other = next(text for text in page_texts(deck.html).texts if text.words.startswith("The last tram"))
        put(anna, draft, {"evidence": deck.pk, "start": other.start, "end": other.end, "text": other.words})
    offer = CounterpartOffer.objects.get()
    assert (offer.taken, offer.taken_with, offer.taken_at) == (None, "", None)
    assert work_record(draft)["counterparts"]["taken"] is None


def test_a_change_of_the_other_passage_leaves_it_taken(draft, anna):
    shown = post(anna, "desk_counterparts", draft).json()["counterparts"]
    put(anna, draft, shown[0])
    post(anna, "desk_counterpart", draft, number=0, taken_with="key")
    post(anna, "desk_select", draft, evidence=shown[0]["evidence"], tagged=True, words="", position=1, is_first=True)
    post(anna, "desk_sources", draft, position=1, parts=[])
    assert CounterpartOffer.objects.get().taken == 0


def test_a_suggestion_whose_text_is_gone_again_cannot_be_taken(draft, anna):
    shown = post(anna, "desk_counterparts", draft).json()["counterparts"]
    put(anna, draft, shown[0])
    post(anna, "desk_sources", draft, position=2, parts=[])
    assert post(anna, "desk_counterpart", draft, number=0, taken_with="key").status_code == 409
    assert CounterpartOffer.objects.get().taken is None


@pytest.mark.parametrize("sent", [{"number": 7}, {"taken_with": "magic"}, {"number": "0"}, {}])
def test_what_was_not_suggested_cannot_be_taken(draft, anna, sent):
    if sent:
        post(anna, "desk_counterparts", draft)
    assert post(anna, "desk_counterpart", draft, **{"number": 0, "taken_with": "key"} | sent).status_code == 400
    assert not CounterpartOffer.objects.filter(taken__isnull=False).exists()


def test_nobody_else_gets_or_takes_them(draft, rita, sign_in):
    other = sign_in(make_person("otto", Role.ANNOTATOR))
    for client, status in ((other, 404), (rita, 403)):
        assert post(client, "desk_counterparts", draft).status_code == status
        assert post(client, "desk_counterpart", draft, number=0, taken_with="key").status_code == status
    assert not CounterpartOffer.objects.exists()


def test_a_submitted_annotation_gets_no_new_ones(draft, anna):
    submit(draft, complete_content())
    assert post(anna, "desk_counterparts", draft).json() == {"is_here": False, "counterparts": [], "ranked_by": ""}
    assert not CounterpartOffer.objects.exists()


def test_without_the_article_nothing_is_recorded(annotator, anna):
    TagFactory(article__title="Old Bridge")
    draft = claim(annotator)
    assert post(anna, "desk_counterparts", draft).json()["is_here"] is False
    assert not CounterpartOffer.objects.exists()


def test_a_project_can_do_without_them(draft, anna, admin):
    change_settings(admin=admin, counterparts_on=False)
    assert post(anna, "desk_counterparts", draft).json() == {"is_here": True, "counterparts": [], "ranked_by": ""}
    offer = CounterpartOffer.objects.get()
    assert (offer.is_on, offer.shown) == (False, [])


def test_the_share_that_goes_without_is_drawn_by_the_number_of_the_tag(admin):
    change_settings(admin=admin, counterparts_left_out_percent=30)
    tags = [Tag(pk=number) for number in range(1, 1001)]
    drawn = [is_offered(tag) for tag in tags]
    assert drawn == [is_offered(tag) for tag in tags]
    assert 620 < sum(drawn) < 780
    change_settings(admin=admin, counterparts_left_out_percent=100)
    assert not any(map(is_offered, tags))


def test_the_share_is_a_percentage(db):
    project = Project.get()
    project.counterparts_left_out_percent = 101
    with pytest.raises(ValidationError):
        project.full_clean()
    with pytest.raises(IntegrityError), transaction.atomic():
        project.save()


def test_the_database_refuses_a_choice_among_nothing(draft):
    with pytest.raises(IntegrityError), transaction.atomic():
        CounterpartOffer.objects.create(
            annotation=draft, is_on=False, taken=0, taken_with="key", taken_at=draft.saved_at
        )
    with pytest.raises(IntegrityError), transaction.atomic():
        CounterpartOffer.objects.create(annotation=draft, is_on=True, taken=0)


def test_a_save_does_not_lose_them(draft, anna):
    post(anna, "desk_counterparts", draft)
    save(draft, complete_content())
    assert CounterpartOffer.objects.get().shown


@pytest.mark.parametrize(
    ("source", "own"),
    [
        (
            '<p class="ev-tagged">One. Two.<sup class="ev-aside ev-this-tag">[x]</sup> Three.</p><p>Four.</p>',
            ["Two."],
        ),
        ('<p class="ev-tagged">One. Two.</p><p>Three.</p>', ["One.", "Two."]),
        ('<table><tbody><tr class="ev-tagged"><th>Opened</th><td>1903</td></tr></tbody></table>', ["Opened 1903"]),
        ('<h2 class="ev-tagged">Opening</h2><p>One.</p>', []),
        ('<div class="ev-aside ev-banner ev-tagged ev-this-tag">Banner.</div><p>One.</p>', []),
        ("<p>One.</p>", []),
        ("", []),
    ],
)
def test_the_tagged_sentence_is_the_one_before_the_tag(source, own):
    page = page_texts(source)
    assert [page.texts[at].words for at in page.tagged_texts()] == own


def test_texts_know_the_heading_above_them():
    page = page_texts("<p>One.</p><h2>Later use</h2><p>Two.</p>")
    assert [(text.words, text.heading, text.is_heading) for text in page.texts] == [
        ("One.", "", False),
        ("Later use", "Later use", True),
        ("Two.", "Later use", False),
    ]
