"""Below a banner, which marks no text, pairs are suggested: of the section, the article, or both articles."""

import json

import pytest
from django.urls import reverse

from annotation import evidence
from annotation.assisting.counterparts.pairs import tagged_pairs
from annotation.models import CounterpartOffer, Evidence, EvidenceKind, EvidencePage
from annotation.reading.page_sentences import page_texts
from annotation.releases.files.work_export import work_record
from core.project import change_settings
from tests.factories import TagFactory

from ..desk_helpers import claim

WIKITEXT = """The Harbour Bridge was opened to traffic in 1903.

== Opening ==
{{Self-contradictory|section|date=May 2024}}
The first tram crossed the harbour on 4 May 1903. Nobody counted the walkers.

=== Trams ===
The first tram crossed the harbour on 9 June 1904.

== Later use ==
The bridge was opened to walkers in 1964.
"""
OTHER = (
    "<p>The river is long.</p><h2>Crossing</h2><p>The Harbour Bridge was opened to traffic in 1899 by a minister.</p>"
)
TEXTS = [
    "The bridge was opened to traffic in 1903.",
    "Its deck is of steel.",
    "The last tram crossed in 1964.",
    "The bridge was opened to traffic in 1899.",
    "The last tram crossed in 1966.",
]


def drafted(annotator, *, raw: str, placement: str, section: str = "", **more):
    tag = TagFactory(
        article__title="Harbour Bridge",
        article__wikitext=WIKITEXT,
        article__wiki__is_allowed=False,
        raw=raw,
        paragraph=f"== {section} ==" if section else "",
        paragraph_clean=f"== {section} ==" if section else "",
        section=section,
        placement=placement,
        **{"family": "self-contradictory"} | more,
    )
    evidence.ask_for_evidence(tag=tag)
    evidence.work_off(tag.pk)
    return claim(annotator)


@pytest.fixture
def section_draft(annotator):
    return drafted(
        annotator,
        raw="Self-contradictory|section|date=May 2024",
        placement="section banner",
        section="Opening",
    )


def offered(client, draft) -> list[dict]:
    address = reverse("desk_counterparts", args=[draft.pk])
    return client.post(address, "{}", content_type="application/json").json()["counterparts"]


def texts_of(pair: dict) -> tuple[str, str]:
    return pair["passage_1"]["text"], pair["text"]


def test_below_a_section_banner_each_pair_has_a_text_of_the_section(section_draft, anna):
    pairs = offered(anna, section_draft)
    assert texts_of(pairs[0]) == (
        "The first tram crossed the harbour on 4 May 1903.",
        "The first tram crossed the harbour on 9 June 1904.",
    )
    assert pairs[0]["reason"] == "4 May 1903 ≠ 9 June 1904, other date"
    assert (pairs[0]["passage_1"]["heading"], pairs[0]["heading"]) == ("Opening", "Trams")
    outside = ("The Harbour Bridge was opened to traffic in 1903.", "The bridge was opened to walkers in 1964.")
    assert outside not in map(texts_of, pairs)


def test_below_a_banner_of_the_page_pairs_come_from_all_of_it(annotator, anna):
    draft = drafted(annotator, raw="Self-contradictory|date=May 2024", placement="page banner")
    found = [texts_of(pair) for pair in offered(anna, draft)]
    assert ("The Harbour Bridge was opened to traffic in 1903.", "The bridge was opened to walkers in 1964.") in found
    assert len(found) <= 10


def test_of_two_articles_each_pair_has_a_text_of_both(annotator, anna):
    draft = drafted(annotator, raw="Contradict-other|River", placement="page banner", family="contradict-other")
    own = Evidence.objects.get(tag=draft.tag, kind=EvidenceKind.ARTICLE)
    other = Evidence.objects.create(
        tag=draft.tag, kind=EvidenceKind.OTHER, title="River", rendering="wikitext", page=EvidencePage.of(OTHER)
    )
    best = offered(anna, draft)[0]
    assert (best["passage_1"]["evidence"], best["evidence"]) == (own.pk, other.pk)
    assert texts_of(best) == (
        "The Harbour Bridge was opened to traffic in 1903.",
        "The Harbour Bridge was opened to traffic in 1899 by a minister.",
    )


def put_pair(client, draft, pair: dict) -> None:
    """Put both texts into the passages, as the desk does before it says that the pair was taken."""
    for position, text in ((1, pair["passage_1"]), (2, pair)):
        sent = {name: text[name] for name in ("evidence", "start", "end")} | {"words": text["text"]}
        address = reverse("desk_select", args=[draft.pk])
        answer = client.post(
            address, json.dumps(sent | {"position": position, "is_first": True}), content_type="application/json"
        )
        assert answer.status_code == 200, answer.text


def test_half_a_pair_does_not_count_as_taken(section_draft, anna):
    pair = offered(anna, section_draft)[0]
    put_pair(anna, section_draft, pair)
    address = reverse("desk_counterpart", args=[section_draft.pk])
    sent = json.dumps({"number": 0, "taken_with": "key"})
    assert anna.post(address, sent, content_type="application/json").status_code == 200
    anna.post(
        reverse("desk_sources", args=[section_draft.pk]),
        json.dumps({"position": 1, "parts": []}),
        content_type="application/json",
    )
    assert CounterpartOffer.objects.get().taken is None


def test_a_pair_that_was_taken_is_kept_with_both_texts(section_draft, anna):
    shown = offered(anna, section_draft)
    put_pair(anna, section_draft, shown[0])
    address = reverse("desk_counterpart", args=[section_draft.pk])
    sent = json.dumps({"number": 0, "taken_with": "list"})
    assert anna.post(address, sent, content_type="application/json").status_code == 200
    record = work_record(section_draft)["counterparts"]
    assert (record["taken"], record["taken_with"]) == (0, "list")
    assert [(each["passage_1"]["text"], each["text"], each["score"]) for each in record["shown"]] == [
        (*texts_of(each), each["score"]) for each in shown
    ]


@pytest.mark.parametrize("change", [{"counterparts_on": False}, {"counterparts_left_out_percent": 100}])
def test_they_are_off_with_the_other_suggestions(section_draft, anna, admin, change):
    change_settings(admin=admin, **change)
    assert offered(anna, section_draft) == []
    assert CounterpartOffer.objects.get().is_on is False


def test_the_likeliest_pairs_come_first_each_once():
    found = [(pair.one, pair.two) for pair in tagged_pairs(TEXTS)]
    assert sorted(found[:2]) == [(0, 3), (2, 4)]
    assert len(found) == len(set(found))


def test_the_reason_brings_a_pair_forward():
    assert (tagged_pairs(TEXTS, reason="When did the last tram cross?")[0].one) == 2
    assert (tagged_pairs(TEXTS, reason="see Traffic", headings=["", "", "Trams", "Traffic", "Trams"])[0].two) == 3


@pytest.mark.parametrize("texts", [[], [""], TEXTS[:1], ["橋" * 50, "川" * 50], [f"{at}" for at in range(100)]])
def test_without_two_texts_that_are_alike_there_is_no_pair(texts):
    assert tagged_pairs(texts) == []
    assert tagged_pairs(texts, others=["Nothing of that."]) == []


@pytest.mark.parametrize(
    ("source", "below"),
    [
        ('<p>One.</p><h2 class="ev-tagged">A</h2><p>Two.</p><h3>B</h3><p>Three.</p><h2>C</h2><p>Four.</p>',
         ["Two.", "Three."]),
        ('<h3 class="ev-tagged">A</h3><p>Two.</p><h2>C</h2><p>Four.</p>', ["Two."]),
        ('<p>One.</p><h2 class="ev-tagged">A</h2>', []),
        ('<div class="ev-aside ev-banner ev-tagged ev-this-tag">Banner.</div><p>One.</p><h2>A</h2><p>Two.</p>',
         ["One.", "Two."]),
        ("", []),
    ],
)  # fmt: skip
def test_the_section_of_a_heading_has_its_subsections(source, below):
    page = page_texts(source)
    assert [page.texts[at].words for at in page.tagged_section()] == below
