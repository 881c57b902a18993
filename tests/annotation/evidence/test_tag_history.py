"""The revision that added a tag is found among many in few requests, whatever happened on the way."""

import random
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha1

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.evidence.tag_history import Added, Search, TagNotThere

NAMES = {"Inconsistent", "Inconsistent inline"}
BEGINNING = datetime(2012, 1, 1, tzinfo=UTC)
TAG = "{{Inconsistent|date=May 2019}}"
OTHER = "{{Inconsistent|date=May 2019|reason=the harbour again}}"
FILLER = "The valley of the Velm widens below the old quarry, where granite was cut for bridges and lighthouses. "
BRIDGE = (
    "Ancient Velm Bridge carried the county road across the river until traffic outgrew its narrow arches in 1903."
)
HARBOUR = (
    "Fishing boats from Sorrel sheltered behind the northern breakwater during winter storms since medieval times."
)


@dataclass(frozen=True)
class Revision:
    id: int
    parent_id: int
    at: datetime
    text: str | None
    undoes: bool = False

    @property
    def size(self) -> int:
        return len(self.text or "")

    @property
    def sha1(self) -> str:
        return sha1((self.text or "").encode()).hexdigest() if self.text is not None else ""


class Memory:
    """A page's history in memory; counts what it is asked."""

    def __init__(self, texts, *, every=timedelta(days=1), chunk=500):
        self.revisions = [
            Revision(number * 7 + 100, number * 7 + 93 if number else 0, BEGINNING + every * number, text)
            for number, text in enumerate(texts)
        ]
        self.indices = {revision.id: index for index, revision in enumerate(self.revisions)}
        self.chunk = chunk
        self.requests = 0

    def before(self, revision_id):
        self.requests += 1
        index = self.indices[revision_id]
        return self.revisions[max(0, index - self.chunk + 1) : index + 1][::-1]

    def at(self, moment):
        self.requests += 1
        earlier = [revision for revision in self.revisions if revision.at <= moment]
        return (earlier[-1], earlier[-1].text) if earlier else None

    def texts(self, revision_ids):
        ids = list(revision_ids)
        assert len(ids) <= 50
        self.requests += 1
        return {one: self.revisions[self.indices[one]].text for one in ids}

    def found(self, raw=TAG, hint="") -> Added:
        last = self.revisions[-1]
        assert last.text is not None
        return Search(self, names=NAMES).added(last.id, start=last.text.index(raw), hint=hint)

    def number(self, stub) -> int:
        return self.indices[stub.id]


def grown(count: int, *runs: range, tag=TAG) -> list[str]:
    """Texts that grow by a word each; in the `runs` the bridge's sentence is tagged."""
    return [
        f"{FILLER}\n\n{BRIDGE}{tag if any(number in run for run in runs) else ''}\n\n{FILLER}"
        + f" word{number}" * (number % 50)
        for number in range(count)
    ]


@pytest.mark.parametrize("count", [2, 3, 60, 700, 3_000])
@pytest.mark.parametrize("share", [0.1, 0.6, 0.99])
def test_it_finds_the_revision_in_few_requests(count, share):
    first = max(1, min(count - 1, round(count * share)))
    memory = Memory(grown(count, range(first, count)))
    added = memory.found()
    assert memory.number(added.revision) == first
    assert memory.number(added.before) == first - 1
    assert TAG in added.text
    assert TAG not in added.text_before
    assert memory.requests <= 4 + count / 250


def test_the_date_of_the_tag_saves_no_correctness():
    """It names a month long before, long after, or is no date at all."""
    for hint in ("May 2013", "May 2030", "soon", "", "2014-07", "99 Foo 9999"):
        memory = Memory(grown(900, range(400, 900)))
        assert memory.number(memory.found(hint=hint).revision) == 400


def test_a_tag_of_the_first_revision_has_none_before():
    memory = Memory(grown(20, range(20)))
    added = memory.found()
    assert memory.number(added.revision) == 0
    assert added.before is None
    assert added.text_before == ""


@pytest.mark.parametrize("gap", [range(300, 500), range(300, 301), range(640, 645)])
def test_a_tag_that_was_removed_and_added_again_counts_from_the_second_time(gap):
    memory = Memory(grown(700, range(50, gap.start), range(gap.stop, 700)))
    assert memory.number(memory.found().revision) == gap.stop


def test_a_short_absence_that_a_revert_ends_is_put_aside_and_named():
    texts = grown(60, range(20, 60))
    texts[40] = "BLANKED"
    texts[41] = texts[39]
    texts[50] = texts[51] = "vandals"
    texts[52] = texts[49]
    memory = Memory(texts)
    added = memory.found()
    assert memory.number(added.revision) == 20
    assert memory.number(added.before) == 19
    assert added.restored_from is None
    gaps = [(memory.number(one.removed), memory.number(one.restored)) for one in added.absences]
    assert gaps == [(50, 52), (40, 41)]


def test_a_revert_that_changes_more_is_known_by_what_it_says_of_itself():
    texts = grown(60, range(20, 60))
    texts[40] = "BLANKED"
    texts[41] = "BLANKED twice"
    memory = Memory(texts)
    assert memory.number(memory.found().revision) == 42  # an editor wrote the article anew
    memory = Memory(texts)
    memory.revisions[42] = replace(memory.revisions[42], undoes=True)
    added = memory.found()
    assert memory.number(added.revision) == 20
    assert [(memory.number(one.removed), memory.number(one.restored)) for one in added.absences] == [(40, 42)]


def test_edits_within_one_second_are_told_apart():
    """A wiki counts time in seconds: what came later in the same one is not taken for what was there before."""
    texts = grown(3, range(1, 3))
    memory = Memory(texts, every=timedelta(0))
    added = memory.found()
    assert memory.number(added.revision) == 1
    assert (added.absences, added.restored_from) == ((), None)
    slowly = Memory(texts)
    slowly.found()
    assert memory.requests == slowly.requests


def test_a_removal_that_is_reverted_within_one_second_is_an_absence():
    texts = grown(6, range(2, 6))
    texts[4], texts[5] = FILLER, texts[3]
    memory = Memory(texts, every=timedelta(0))
    added = memory.found()
    assert memory.number(added.revision) == 2
    assert [(memory.number(one.removed), memory.number(one.restored)) for one in added.absences] == [(4, 5)]


@pytest.mark.parametrize("every", [timedelta(0), timedelta(hours=1)])
def test_a_revert_of_a_revert_is_one_more_absence(every):
    texts = grown(20, range(3, 20))
    texts[10] = texts[12] = FILLER
    texts[11] = texts[13] = texts[9]
    memory = Memory(texts, every=every)
    added = memory.found()
    assert memory.number(added.revision) == 3
    gaps = [(memory.number(one.removed), memory.number(one.restored)) for one in added.absences]
    assert gaps == [(12, 13), (10, 11)]
    assert added.restored_from is None


def test_a_revert_after_a_long_absence_adds_the_tag_and_names_who_added_it_first():
    texts = grown(60, range(20, 60))
    texts[30:45] = [f"without {number}" for number in range(15)]
    texts[45] = texts[29]
    memory = Memory(texts)
    added = memory.found()
    assert memory.number(added.revision) == 45
    assert memory.number(added.restored_from) == 20
    assert added.absences == ()


def test_a_bot_that_dates_or_renames_the_tag_is_not_its_author():
    undated = grown(30, range(10, 15), tag="{{inconsistent inline}}")
    dated = grown(30, range(15, 30), tag="{{Inconsistent|date=May 2019}}")
    memory = Memory([*undated[:15], *dated[15:]])
    added = memory.found()
    assert memory.number(added.revision) == 10
    assert "{{inconsistent inline}}" in added.text


def test_a_tag_elsewhere_in_the_article_is_another_one():
    texts = []
    for number in range(80):
        harbour = HARBOUR + (OTHER if number >= 10 else "")
        bridge = BRIDGE + (TAG if number >= 50 else "")
        texts.append(f"{bridge}\n\n{FILLER * 5}\n\n{harbour} word{number}")
    memory = Memory(texts)
    assert memory.number(memory.found(TAG).revision) == 50
    assert memory.number(memory.found(OTHER).revision) == 10


def test_a_paragraph_rewritten_around_the_tag_is_followed():
    new = "Granite blocks from another century still show where masons repaired storm damage near abutments."
    texts = [
        f"{FILLER}\n\n{new if number >= 30 else BRIDGE}{TAG if number >= 12 else ''}\n\nword{number}"
        for number in range(50)
    ]
    memory = Memory(texts)
    assert memory.number(memory.found().revision) == 12


def test_revisions_that_the_wiki_hides_are_passed_over_and_counted():
    texts: list[str | None] = list(grown(40, range(20, 40)))
    texts[18] = texts[19] = texts[25] = None
    memory = Memory(texts)
    added = memory.found()
    assert (memory.number(added.revision), memory.number(added.before), added.hidden) == (20, 17, 2)


def test_a_history_of_20000_revisions_is_leapt_over():
    memory = Memory(grown(20_000, range(2_000, 20_000)), every=timedelta(hours=4))
    added = memory.found()
    assert memory.number(added.revision) == 2_000
    assert memory.requests <= 25


@pytest.mark.parametrize("hint", ["May 2012", "January 2013", "June 2018", "May 2030", ""])
def test_a_leap_lands_right_whatever_the_tag_says_of_its_age(hint):
    for first in (1, 300, 2_000, 5_500):
        memory = Memory(grown(8_000, range(first, 8_000)), every=timedelta(hours=11))
        assert memory.number(memory.found(hint=hint).revision) == first


class Counting(Memory):
    def texts(self, revision_ids):
        self.batches = [*getattr(self, "batches", []), len(list(revision_ids))]
        return super().texts(revision_ids)


def test_large_pages_are_asked_for_in_smaller_batches():
    memory = Counting([text + "x" * 500_000 for text in grown(60, range(33, 60))])
    assert memory.number(memory.found().revision) == 33
    assert max(memory.batches) <= 12


def test_a_tag_that_is_not_where_it_should_be_is_said():
    memory = Memory(["no tag here"])
    with pytest.raises(TagNotThere):
        Search(memory, names=NAMES).added(memory.revisions[0].id, start=3)
    memory = Memory([None])
    with pytest.raises(TagNotThere):
        Search(memory, names=NAMES).added(memory.revisions[0].id, start=0)


@given(st.integers(2, 400), st.data())
def test_without_gaps_it_is_always_right(count, data):
    first = data.draw(st.integers(0, count - 1))
    chunk = data.draw(st.integers(2, 500))
    every = timedelta(hours=data.draw(st.sampled_from([1, 30, 2000])))
    hint = data.draw(st.sampled_from(["", "May 2012", "June 2014", "May 2024"]))
    memory = Memory(grown(count, range(first, count)), chunk=chunk, every=every)
    added = memory.found(hint=hint)
    assert memory.number(added.revision) == first
    assert (added.before is None) == (first == 0)


def test_it_is_right_with_edits_all_over_the_article():
    random.seed(5)
    for _ in range(20):
        words = FILLER.split() * 20
        count, texts = 300, []
        first = random.randrange(1, count)
        for number in range(count):
            words[random.randrange(len(words))] = f"edit{number}"
            body = " ".join(words)
            texts.append(f"{body[:900]}\n\n{BRIDGE}{TAG if number >= first else ''} {body[900:]}")
        memory = Memory(texts)
        assert memory.number(memory.found().revision) == first
