"""Changes of the stand-alone version are shown word by word."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.content.word_changes import ADDED, KEPT, REMOVED, Change, word_changes


def test_words_that_were_put_in_and_taken_out_are_told_apart():
    changes = word_changes("It opened in 1903.", "The bridge opened in early 1903.")
    assert changes == [
        Change(REMOVED, "It "),
        Change(ADDED, "The bridge "),
        Change(KEPT, "opened in "),
        Change(ADDED, "early "),
        Change(KEPT, "1903."),
    ]


def test_a_full_stop_is_no_part_of_the_word_before_it():
    assert word_changes("in 1903.", "in 1899.")[-1] == Change(KEPT, ".")


def test_writing_without_blanks_is_compared_sign_by_sign():
    assert word_changes("橋は開通した。", "鉄橋は開通した。") == [Change(ADDED, "鉄"), Change(KEPT, "橋は開通した。")]


def test_the_same_text_has_no_changes():
    assert word_changes("It opened.", "It opened.") == [Change(KEPT, "It opened.")]
    assert word_changes("", "") == []


@given(st.text(alphabet="ab .\n橋é́", max_size=60), st.text(alphabet="ab .\n橋é́", max_size=60))
def test_both_texts_can_be_read_from_the_changes(before, after):
    changes = word_changes(before, after)
    assert "".join(change.text for change in changes if change.kind != ADDED) == before
    assert "".join(change.text for change in changes if change.kind != REMOVED) == after


def test_texts_too_long_to_compare_are_shown_as_replaced():
    before, after = "a b " * 5_000, "c d " * 5_000
    assert word_changes(before, after) == [Change(REMOVED, before), Change(ADDED, after)]
