"""Long texts in windows: nothing is cut, whatever the text, its length and the window."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from judging.making.windows import pairs_of_windows, windows_of

# Words that are all different, so that a window can be found again, with and without ends of sentences.
TEXTS = st.lists(st.sampled_from([" ", ". ", "! ", "\n\n", " and then "]), max_size=40).map(
    lambda joints: "".join(f"word{number}{joint}" for number, joint in enumerate([*joints, ""]))
)


@given(TEXTS, st.integers(8, 120))
def test_every_word_is_in_a_window_and_no_window_is_too_long(text, most):
    windows = windows_of(text, most)
    assert all(len(window) <= most for window in windows)
    words = {word.strip(".!") for word in text.split()}
    assert words == {word.strip(".!") for window in windows for word in window.split()}


@given(TEXTS, TEXTS, st.integers(16, 160))
def test_two_texts_fit_together_and_every_pair_of_words_is_compared(first, second, most):
    pairs = pairs_of_windows(first, second, most, len)
    assert all(len(one) + len(other) <= most for one, other in pairs)
    compared = {(a.strip(".!"), b.strip(".!")) for one, other in pairs for a in one.split() for b in other.split()}
    assert compared == {(a.strip(".!"), b.strip(".!")) for a in first.split() for b in second.split()}


def test_windows_are_of_whole_sentences_and_overlap():
    text = " ".join(f"This is sentence number {n} of a long text." for n in range(100))
    windows = windows_of(text, 400)
    assert all(window.startswith("This is") and window.endswith(".") for window in windows)
    assert all(later[:30] in earlier for earlier, later in pairwise(windows))
    assert windows_of(text, 10_000) == [text]
    assert len("".join(windows_of("x" * 1_000, 400))) == 1_000
