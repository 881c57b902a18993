"""Edits: the original comes out byte for byte, and gaps beside the original sentence are left out. No database."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.reading.sentences import sentences
from benchmarks.contradoc.maker.edits import MOST_GAPS, edits_for, gaps_of, insertion
from benchmarks.contradoc.maker.generation import METHODS
from benchmarks.contradoc.maker.values import ReadStatement

INSERT, REPLACE = METHODS["content_insert"], METHODS["content_replace"]
TEXT = "Tom lives in Rome. He has a dog. The dog likes bread. Bread is cheap in Rome. Nobody knows why. It rains."
pieces = st.text(alphabet=st.sampled_from("ab .!?\n\t\u05d0\u05d1\U0001f600’“c\r"), min_size=1, max_size=60)


def span_of(sentence, text=TEXT):
    return text.index(sentence), text.index(sentence) + len(sentence)


@settings(max_examples=150, deadline=None)
@given(pieces, st.data())
def test_the_original_comes_back_byte_for_byte(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    statement = ReadStatement(contradiction="Ab ba.", rewording="C c c.")
    for method in (INSERT, REPLACE):
        for edit in edits_for(text, (start, end), statement, method):
            edited = edit.apply(text)
            assert edited != text
            assert edit.new_text.strip() in ("Ab ba.", "C c c.")
            assert edit.undo(edited, text[edit.start : edit.end]).encode() == text.encode()


@settings(max_examples=150, deadline=None)
@given(pieces)
def test_a_sentence_at_any_gap_stands_apart_and_comes_out_again(text):
    for gap in gaps_of(text):
        edit = insertion(text, gap.offset, "New.")
        edited = edit.apply(text)
        at = edited.index(edit.new_text, edit.start) + edit.new_text.index("New.")
        assert at == 0 or edited[at - 1].isspace()
        assert at + 4 == len(edited) or edited[at + 4].isspace()
        assert edit.undo(edited, "") == text


def test_a_replacement_is_made_with_the_contradiction_and_with_its_rewording():
    statement = ReadStatement(contradiction="Tom lives in Paris.", rewording="Paris is where Tom lives.")
    edits = edits_for(TEXT, span_of("Tom lives in Rome."), statement, REPLACE)
    assert [(edit.apply(TEXT)[:25], edit.is_rewording) for edit in edits[:2]] == [
        ("Tom lives in Paris. He ha", False),
        ("Paris is where Tom lives.", True),
    ]


@pytest.mark.parametrize("method", [INSERT, REPLACE])
def test_every_statement_is_inserted_and_replaced_with_contradiction_and_rewording(method):
    statement = ReadStatement(contradiction="Tom lives in Paris.", rewording="Paris is where Tom lives.")
    edits = edits_for(TEXT, span_of("Tom lives in Rome."), statement, method)
    tried = {(edit.start == edit.end, edit.is_rewording) for edit in edits}
    assert tried == {(True, False), (True, True), (False, False), (False, True)}
    assert (edits[0].start == edits[0].end) is (method is INSERT)


def test_a_fact_that_is_a_part_of_a_sentence_is_not_replaced():
    edits = edits_for(TEXT, span_of("Bread is cheap"), ReadStatement(contradiction="Bread is dear."), INSERT)
    assert edits
    assert all(edit.start == edit.end for edit in edits)


def test_gaps_beside_the_original_sentence_are_left_out_and_the_fitting_one_comes_first():
    original = span_of("The dog likes bread.")
    edits = edits_for(TEXT, original, ReadStatement(contradiction="In Rome, nobody gets bread."), INSERT)
    edits = [edit for edit in edits if edit.start == edit.end]
    assert [edit.rank for edit in edits] == list(range(1, MOST_GAPS + 1))
    assert edits[0].apply(TEXT).index("In Rome, nobody") > original[1]
    spans = sentences(TEXT)
    beside = {span.end for span in spans if span.end in (original[1], original[0] - 1)}
    assert not beside & {edit.start for edit in edits}
    assert "Bread is cheap in Rome. In Rome, nobody gets bread. Nobody knows why." in edits[0].apply(TEXT)


@pytest.mark.parametrize("text", ["One sentence only.", "no end at all " * 50, "One. Two."])
def test_a_document_without_a_free_gap_gives_no_insertion(text):
    edits = edits_for(text, (0, 4), ReadStatement(contradiction="Something else."), INSERT)
    assert all(edit.start < edit.end for edit in edits)


def test_a_rewording_that_is_the_original_makes_no_candidate():
    statement = ReadStatement(contradiction="tom lives in rome", rewording="Tom lives in Oslo.")
    edits = edits_for(TEXT, span_of("Tom lives in Rome."), statement, REPLACE)
    assert {edit.new_text.strip() for edit in edits} == {"Tom lives in Oslo."}


def test_hebrew_and_prompt_markers_are_text_like_any_other():
    text = "Judgment: yes. {document} הבית גדול. Article: [Insert Document here]. הגשר נפתח. סוף."
    for edit in edits_for(text, (0, 14), ReadStatement(contradiction="הבית קטן."), INSERT):
        assert edit.undo(edit.apply(text), text[edit.start : edit.end]) == text
