"""A refusal within a quotation is none, and one outside always is: for all marks, also nested and unclosed ones."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.conflictbank.evidence.quotations import quotations, without_quotations
from benchmarks.conflictbank.evidence.texts import refusal_in

PAIRS = ["“”", "„“", "„”", '""', "''", "‘’", "‚‘", "«»", "»«", "‹›", "›‹", "「」", "『』", "””"]
FEATURES = ["I cannot"]
SAID = "The minister said in that year what nobody had expected to hear"
WORDS = st.lists(st.sampled_from(["he", "can’t", "Ann's", "bridge", "1903", "it.", "Rome,"]), min_size=1, max_size=6)


def is_refusal(text: str) -> bool:
    return bool(refusal_in(text, FEATURES, fewest_characters=50))


@st.composite
def quoted(draw, inside: str):
    """A quotation with these words in it, perhaps within another one with other marks."""
    before, after = (" ".join(draw(WORDS)) for _ in range(2))
    text = f"{before} {inside} {after}"
    marks = draw(st.lists(st.sampled_from(PAIRS), min_size=1, max_size=2, unique_by=frozenset))
    if len({*"".join(marks)}) < len(marks) + 1 or (len(marks) > 1 and set(marks[0]) & set(marks[1])):
        marks = marks[:1]
    for opens, closes in marks:
        text = f"{opens}{text}{closes}"
    return text


@given(quoted("I cannot"), WORDS)
def test_a_refusal_within_a_quotation_is_none(quotation, more):
    assert not is_refusal(f"{SAID}: {quotation}, and then they left. {' '.join(more)}")


@given(st.lists(quoted("he went"), max_size=3), st.lists(quoted("she went"), max_size=3))
def test_a_refusal_between_quotations_is_one(before, after):
    assert is_refusal(" ".join([SAID, *before, "so I cannot do that,", *after]))


@given(st.sampled_from([pair[0] for pair in PAIRS]), WORDS)
def test_a_mark_that_is_never_closed_begins_no_quotation(mark, words):
    words = [word for word in words if "’" not in word and "'" not in word]
    assert is_refusal(f"{SAID}. {mark}So I cannot do that. {' '.join(words)}")


@given(st.text("“”„\"'‘’«» ‹›aI.\n", max_size=60))
def test_any_text_keeps_what_is_outside_quotations(text):
    spans = quotations(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    outside = [character for at, character in enumerate(text) if not any(start <= at < end for start, end in spans)]
    left = without_quotations(text)
    assert left == text or "".join(left.split()) == "".join("".join(outside).split())


def test_a_text_that_is_one_quotation_quotes_nobody():
    for marks in PAIRS:
        assert is_refusal(f"{marks[0]}I cannot write this text, whatever the reasons for it might be.{marks[1]}")
