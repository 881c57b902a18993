"""The counterpart of a tagged sentence is ranked first, by words alone, and whatever the text."""

import time

import pytest

from annotation.assisting.counterparts.features import NAMES, clashing_numbers, opposed
from annotation.assisting.counterparts.ranking import FLOOR, FLOOR_OF_OTHERS, likely, rank, weights
from annotation.assisting.counterparts.words import denies, stems_of, words_of
from speed.counterparts.documents import read_documents
from speed.counterparts.training import fitted, ranks, share_within, stacked, tables, unseen_scores

VIADUCT = [
    "Name: Harrick Viaduct",
    "Crosses: River Harrick",
    "Length: 412 m",
    "Spans: 24",
    "Opened: 1868",
    "The Harrick Viaduct is a disused railway viaduct over the valley of the River Harrick.",
    "It was built of local sandstone between 1864 and 1868 to plans by Edwin Tarrant.",
    "The viaduct carries the track on 27 semicircular arches, each with a clear span of 12 metres.",
    "The tallest pier stands 34 metres above the river bed.",
    "Parapets of cast iron replaced the stone ones in 1902.",
    "The last train crossed on 4 October 1964.",
    "Since 1991 the deck has been open to walkers and cyclists.",
]
BRIDGES = [
    "14th Street bridges is the common name of the group of bridges over the Potomac River.",
    "The group is made up of three road bridges and two bridges for trains.",
    "It was renamed span by span.",
    "The northbound bridge was the first of the present ones.",
    "It opened to traffic on 9 May 1950.",
    "It rests on 16 piers.",
    "Planning began after the war.",
    "The northbound bridge was opened in 1948, and the old Highway Bridge was closed.",
]


@pytest.mark.parametrize(
    ("texts", "own", "reason", "headings", "counterpart"),
    [
        (VIADUCT, 3, "The text speaks of 27 arches.", [], 7),
        (BRIDGES, 4, "see History", [""] + ["Spans"] * 5 + ["History"] * 2, 7),
        (BRIDGES, 4, "", [], 7),
        (["Er starb 1901 in Wien.", "Er malte viel.", "Er lebte in Graz.", "Er starb 1903 in Wien."], 0, "", [], 3),
        (["橋は1950年に開通した。", "川は長い。", "町には学校がある。", "この橋は1948年に開通した。"], 0, "", [], 3),
        (["الجسر افتتح عام 1950.", "النهر طويل.", "المدينة كبيرة.", "افتتح الجسر عام 1948."], 0, "", [], 3),
    ],
)  # fmt: skip
def test_the_counterpart_comes_first(texts, own, reason, headings, counterpart):
    assert rank(texts[own], texts, [own], reason=reason, headings=headings)[0].position == counterpart


def test_a_text_of_another_article_has_no_neighbours():
    ranked = rank("The northbound bridge opened in 1950.", BRIDGES)
    assert ranked[0].position == 7
    assert {one.position for one in ranked} == set(range(len(BRIDGES)))


def test_a_sentence_that_repeats_the_query_is_no_counterpart():
    texts = ["The bridge opened in 1950.", "It is long.", "The bridge, opened in 1950", "The bridge opened in 1948."]
    assert [one.position for one in rank(texts[0], texts, [0])] == [3, 1]


@pytest.mark.parametrize("texts", [[], [""], ["...", "—"], ["The only sentence there is."]])
def test_without_another_sentence_nothing_is_ranked(texts):
    assert rank("The only sentence there is.", texts, [0] if texts else []) == []


def test_a_query_without_words_has_no_counterpart():
    assert rank("12,500", ["12,600", "The bridge opened in 1950."]) == []


def test_nothing_is_suggested_among_sentences_that_have_nothing_in_common():
    texts = [f"Pier{at} alpha{at} beta{at} gamma{at}." for at in range(40)]
    ranked = rank("Nothing here resembles anything.", texts)
    assert len(ranked) == 40
    assert likely(ranked) == []


def test_at_most_three_are_suggested_and_each_is_likely():
    ranked = rank(BRIDGES[4], BRIDGES, [4], reason="see History")
    found = likely(ranked)
    assert 1 <= len(found) <= 3
    assert found[0].chance >= FLOOR
    assert all(one.chance >= FLOOR_OF_OTHERS for one in found)
    assert 0.9 < sum(one.chance for one in ranked) < 1  # as if there were further texts, which are unlike it
    assert sum(one.chance for one in rank(VIADUCT[3], VIADUCT * 3, [3])) == pytest.approx(1)


def test_the_order_of_equals_is_that_of_the_article():
    texts = ["The bridge opened in 1950.", *["A bridge, 1948."] * 3]
    assert [one.position for one in rank(texts[0], texts)] == [1, 2, 3]


@pytest.mark.parametrize(
    "texts",
    [
        [f"Its pier {at} was mended in 19{at % 90 + 10} at a cost of {at * 37} crowns." for at in range(5_000)],
        [f"Row {at}: {at * 3}" for at in range(2_000)],
        ["The numbers are " + " ".join(map(str, range(10_000))) + "."] * 3,
        ["橋" * 20_000, "川" * 20_000],
    ],
    ids=["sentences", "rows", "numbers", "one long word"],
)
def test_the_time_is_in_proportion(texts):
    begin = time.process_time()
    rank(texts[0], texts, [0], reason="see pier 12")
    assert time.process_time() - begin < 3


def test_numbers_clash_where_each_has_one_that_the_other_lacks():
    assert clashing_numbers(words_of("three bridges"), words_of("4 bridges"))
    assert not clashing_numbers(words_of("three bridges"), words_of("3 bridges"))
    assert not clashing_numbers(words_of("3 bridges"), words_of("3 bridges and 4 tunnels"))
    assert not clashing_numbers(words_of("one of the bridges"), words_of("2 bridges"))


def test_opposites_are_found_by_their_stems():
    assert opposed(stems_of("The northern shore"), stems_of("the southern shore")) == [("northern", "southern")]
    assert opposed(stems_of("north and south"), stems_of("south")) == []


@pytest.mark.parametrize(
    ("text", "is_denied"), [("It did n't open.", True), ("It isn’t open.", True), ("A note.", False)]
)
def test_a_denial_is_seen(text, is_denied):
    assert denies(text) is is_denied


def test_documents_that_were_not_trained_on_reach_the_figures(released_data):
    """Cross-validated by article, as `python -m speed.counterparts` prints them."""
    documents = [one for one in read_documents(released_data / "contradoc_sample.json") if one.is_hit.any()]
    assert len(documents) == 59
    features = stacked(tables(documents), NAMES)
    reached = share_within(ranks(documents, unseen_scores(documents, features)))
    assert all(share >= goal for share, goal in zip(reached, (0.65, 0.80, 0.87, 0.93), strict=True)), reached


def test_the_stored_weights_are_those_of_the_script(released_data):
    documents = [one for one in read_documents(released_data / "contradoc_sample.json") if one.is_hit.any()]
    assert fitted(documents) == pytest.approx(weights(), abs=0.01)
