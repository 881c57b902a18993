"""Sentences of a document, and whether a quote hits the evidence."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.reading.sentences import Span, gaps, sentences
from benchmarks.contradoc.content.matching import CONTAINMENT, Hit, contains, hit_of, nearest, plain, shared, where

EVIDENCE = "The bridge was opened in 1932 by the mayor of the town."
OTHER = "Nobody remembers who was there on that rainy day."

texts = st.text(st.characters() | st.sampled_from(" \n\t.!?\"'“”ab\ud800"), max_size=200)
quoted = st.text(st.sampled_from("abC .\n"), max_size=60)


@given(texts)
@example("no end at all")
@example("   ")
@example("One. Two.\r\nThree!  ")
@example("a\ud800b. C")
def test_sentences_hold_all_of_a_text_but_blanks(text):
    spans = sentences(text)
    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
    assert edges == sorted(edges)
    assert all(span.of(text) == span.of(text).strip() != "" for span in spans)
    assert not "".join(text[end:start] for end, start in zip(edges[::2], edges[1::2], strict=True)).strip()


def test_sentences_end_at_marks_but_not_at_abbreviations():
    text = 'Dr. Allen came at 5 p.m. on Monday. "Is it late?" he asked. It was.'
    assert [span.of(text) for span in sentences(text)] == [
        "Dr. Allen came at 5 p.m. on Monday.",
        '"Is it late?" he asked.',
        "It was.",
    ]


@pytest.mark.parametrize(
    ("text", "count"), [("שלום עולם. מה שלומך? ", 2), ("word ", 0), ("A sentence of some words. ", 1)]
)
def test_two_megabytes_are_split_in_seconds(text, count):
    many = 2_000_000 // len(text.encode())
    began = time.monotonic()
    assert len(sentences(text * many)) == (count * many or 1)
    assert time.monotonic() - began < 60


def test_a_gap_is_before_the_first_sentence_and_behind_each():
    assert gaps(" One. Two. ") == [1, 5, 10]
    assert gaps("") == [0]


def test_one_contains_the_other_whatever_case_and_white_space():
    assert hit_of([OTHER, "opened  IN 1932\nby the Mayor"], EVIDENCE) == Hit(2, CONTAINMENT)
    assert hit_of([f"It says: {EVIDENCE.upper()} And more."], EVIDENCE) == Hit(1, CONTAINMENT)
    assert hit_of(["opened in 1932"], EVIDENCE) is None, "shorter than 20 characters"
    assert hit_of([OTHER, ""], EVIDENCE) is None
    assert hit_of([], EVIDENCE) is None
    assert hit_of(["It was closed again."], "was closed") is None, "the evidence is shorter than 20 characters"


@pytest.mark.parametrize(("length", "is_hit"), [(19, False), (20, True)])
def test_twenty_characters_are_enough(length, is_hit):
    assert (hit_of([EVIDENCE[4 : 4 + length]], EVIDENCE) is not None) == is_hit


def test_a_document_handed_back_whole_hits_unless_long_quotes_are_left_out():
    document = f"{OTHER} {EVIDENCE} {OTHER} {OTHER} {OTHER} {OTHER} {OTHER}"
    assert hit_of([document, EVIDENCE], EVIDENCE) == Hit(1, CONTAINMENT)
    assert hit_of([document, EVIDENCE], EVIDENCE, without_long=True) == Hit(2, CONTAINMENT)
    assert hit_of([document], EVIDENCE, without_long=True) is None


def test_another_matcher_is_asked_only_where_containment_finds_nothing():
    def always(pairs):
        asked.append(pairs)
        return [True] * len(pairs)

    asked: list = []
    assert hit_of([OTHER, EVIDENCE], EVIDENCE, matchers=[("BERTScore", always)]) == Hit(2, CONTAINMENT)
    assert not asked
    assert hit_of([OTHER], EVIDENCE, matchers=[("BERTScore", always)]) == Hit(1, "BERTScore")


@given(quoted, quoted)
def test_containment_takes_both_ways_alike(one, other):
    assert contains(plain(one), plain(other)) == contains(plain(other), plain(one))


@given(quoted, st.lists(quoted, max_size=6), st.lists(quoted, max_size=6))
def test_what_follows_a_hit_changes_nothing(evidence, quotes, more):
    found = hit_of(quotes, evidence)
    if found:
        assert hit_of([*quotes, *more], evidence) == found
        assert contains(plain(quotes[found.rank - 1]), plain(evidence))
    else:
        assert hit_of([quote.swapcase().replace(" ", "\n ") for quote in quotes], evidence) is None


@given(texts, quoted.filter(str.strip), texts)
def test_what_stands_in_a_text_is_found_there(before, quote, after):
    text = before + quote + after
    found = where(quote.swapcase(), text)
    assert found is not None
    assert plain(found.of(text)) == plain(quote)


def test_the_nearest_sentence_has_most_words_in_common():
    text = f"{OTHER} {EVIDENCE} The end."
    found = nearest("The mayor of the town opened the bridge in 1933", text)
    assert found == Span(len(OTHER) + 1, len(OTHER) + 1 + len(EVIDENCE))
    assert nearest("anything", "") is None
    assert nearest("桥在一九三二年开放", "桥在一九三三年开放。没有人记得。").start == 0


@pytest.mark.parametrize(
    ("quote", "evidence", "common"),
    [
        ("It said: The bridge  opened in 1903. So.", "the bridge opened in 1903.", "The bridge  opened in 1903."),
        ("bridge opened in 1903.", "The bridge opened in 1903.", "bridge opened in 1903."),
        ("The mill stood beside the bridge.", "The bridge opened in 1903.", None),
        ("in 1903.", "The bridge opened in 1903.", None),  # too short to hit
    ],
)
def test_what_a_quote_shares_with_the_evidence(quote, evidence, common):
    span = shared(quote, evidence)
    assert (span and span.of(quote)) == common
