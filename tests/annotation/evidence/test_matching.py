"""Tags of an earlier revision are matched with those of a later one."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from annotation.harvesting.matching import match_tags


@dataclass(eq=False)
class One:
    raw: str = "Inconsistent|date=May 2024"
    paragraph: str = "p"
    paragraph_clean: str = ""
    section: str = "s"
    family: str = "inconsistent"
    date: str = "May 2024"


words = st.sampled_from(["a", "b", "c"])
tags = st.builds(One, raw=words, paragraph=words, paragraph_clean=words, section=words, family=words, date=words)
lists = st.lists(tags, max_size=8)


@given(present=lists, gone=lists, found=lists)
def test_gives_out_each_earlier_tag_at_most_once(present, gone, found):
    matches = match_tags(present, gone, found)
    assert len(matches) == len(found)
    given_out = [id(match) for match in matches if match]
    assert len(given_out) == len(set(given_out))
    assert set(given_out) <= {id(tag) for tag in [*present, *gone]}


@given(present=lists, gone=lists)
def test_an_unchanged_article_matches_itself(present, gone):
    found = [One(**vars(tag)) for tag in present]
    assert [vars(match) if match else None for match in match_tags(present, gone, found)] == [
        vars(tag) for tag in present
    ]


@given(tags=lists, index=st.integers(0, 8))
def test_a_tag_put_between_unlike_ones_is_the_only_new_one(tags, index):
    present = [One(raw=f"{tag.raw}{n}", paragraph=str(n), section=str(n)) for n, tag in enumerate(tags)]
    found = [One(**vars(tag)) for tag in present]
    found.insert(index, new := One(raw="new", paragraph="new", section="new", family="other"))
    matches = match_tags(present, [], found)
    assert [match is None for match in matches] == [tag is new for tag in found]


def test_alike_tags_are_told_apart_by_their_order():
    first, second = One(), One()
    assert match_tags([first, second], [], [One(), One()]) == [first, second]


def test_the_same_words_elsewhere_are_no_return():
    gone = One(paragraph="old", section="old")
    assert match_tags([], [gone], [One(paragraph="new", section="new")]) == [None]
    assert match_tags([], [gone], [One(paragraph="old", section="moved")]) == [gone]


def test_a_tag_that_moved_to_another_section_is_the_same():
    tag = One(section="Before")
    assert match_tags([tag], [], [One(section="After", paragraph="rewritten")]) == [tag]


def test_a_tag_that_was_given_a_date_is_the_same():
    tag = One(raw="Inconsistent", date="", paragraph="It{{Inconsistent}}", paragraph_clean="It")
    dated = One(paragraph="It{{Inconsistent|date=May 2024}}", paragraph_clean="It")
    assert match_tags([tag], [], [dated]) == [tag]


def test_another_tag_of_the_paragraph_that_stays_is_not_mistaken_for_the_one_removed():
    first = One(raw="Inconsistent", paragraph="x{{Inconsistent}}{{Contradict}}", paragraph_clean="x")
    second = One(raw="Contradict", paragraph="x{{Inconsistent}}{{Contradict}}", paragraph_clean="x")
    assert match_tags(
        [first, second], [], [One(raw="Contradict", paragraph="x{{Contradict}}", paragraph_clean="x")]
    ) == [second]
