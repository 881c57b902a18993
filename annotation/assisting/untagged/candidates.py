"""The candidates for contradictions of a page or a document. Text in, candidates out, the likeliest first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.languages import say

from ...reading.sentences import sentences
from ..counterparts.pairs import FLOOR, NUMBERS, pairs_in
from ..counterparts.reasons import reason_for
from .facts import Fact, facts_in
from .pages import INFOBOX, LEAD, LightPage, Line, light_page, readable_lines
from .totals import wrong_totals

INFOBOX_TEXT, LEAD_BODY, TOTAL, PROPERTY, SENTENCES = "infobox", "lead", "total", "property", "sentences"
# Rules that look at one property are right more often than a likeness of whole sentences.
_SCORES = {INFOBOX_TEXT: 1.3, LEAD_BODY: 1.25, TOTAL: 1.2, PROPERTY: 1.1}
LONGEST = 2_000
_MOST_SENTENCES = 5_000
# Longer texts without a blank are no prose, and to find their sentences takes time out of proportion.
_LONGEST_WORD = 10_000
MOST = 10
MOST_REASON = 300


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two texts that may contradict each other.

    Attributes:
        kind: the comparison that found them, one of the constants above.
        part_1, part_2: `pages.INFOBOX`, `pages.LEAD`, "table" or a heading; "" in a document.
        reason: what differs, in a few words.
        score: about 0 to 1.5; higher is likelier, but it is no chance.
    """

    kind: str
    text_1: str
    text_2: str
    part_1: str
    part_2: str
    reason: str
    score: float


def candidates_in_page(title: str, wikitext: str, *, closely: bool = False, most: int = MOST) -> list[Candidate]:
    """The candidates of a page. `closely` also compares any two sentences, which takes many times as long."""
    page = light_page(title, wikitext)
    found = [*_of_facts(facts_in(page)), *_of_totals(page)]
    if closely:
        found += _of_lines(list(readable_lines(page)))
    return _best(found, most)


def candidates_in_text(title: str, text: str, *, most: int = MOST, least: float = FLOOR) -> list[Candidate]:
    """The candidates of a document in plain text, with at least this score."""
    facts = [replace(fact, part="") for fact in facts_in(LightPage(title, {}, text))]
    found = [*_of_facts(facts), *_of_lines([Line(span.of(text), "") for span in sentences(text)])]
    return [each for each in _best(found, most) if each.score >= least]


def _of_facts(facts: Sequence[Fact]) -> Iterator[Candidate]:
    """Each property's first two facts that exclude each other."""
    by_name: dict[str, list[Fact]] = {}
    for fact in facts:
        by_name.setdefault(fact.name, []).append(fact)
    for name, of_name in by_name.items():
        pairs = ((one, two) for at, one in enumerate(of_name) for two in of_name[at + 1 :])
        for one, two in pairs:
            if _differ(one, two):
                kind = _kind(one.part, two.part) or PROPERTY
                reason = f"{name}: {one.written} ≠ {two.written}"
                texts = (one.said[:LONGEST], two.said[:LONGEST])
                yield Candidate(kind, *texts, _shown(one.part), _shown(two.part), reason, _SCORES[kind])
                break


def _differ(one: Fact, two: Fact) -> bool:
    """Return whether two dates exclude each other: both have a year, and a part that both have differs."""
    return any(a != b for a, b in zip(one.date, two.date, strict=True) if a and b)


def _kind(part_1: str, part_2: str) -> str:
    """The comparison that two parts make; "" for two of the same kind."""
    if (part_1 == INFOBOX) != (part_2 == INFOBOX):
        return INFOBOX_TEXT
    return LEAD_BODY if (part_1 == LEAD) != (part_2 == LEAD) and part_1 and part_2 else ""


def _shown(part: str) -> str:
    return part[:300]


def _of_totals(page: LightPage) -> Iterator[Candidate]:
    for wrong in wrong_totals(page.text):
        reason = say("total: {total} ≠ {sum}", total=wrong.total, sum=wrong.sum)
        part = _shown(page.part_at(wrong.offset))
        yield Candidate(TOTAL, wrong.row, wrong.adds_up, part, "table", reason, _SCORES[TOTAL])


def _of_lines(lines: Sequence[Line]) -> list[Candidate]:
    """The pairs of sentences that are much alike and differ in one value."""
    said: list[Line] = []
    for line in lines:
        if line.part == INFOBOX or not line.part:
            said.append(line)
        elif max(map(len, line.text.split()), default=0) <= _LONGEST_WORD:
            said += [Line(span.of(line.text), line.part) for span in sentences(line.text)]
    said = said[:_MOST_SENTENCES]
    found = []
    for pair in pairs_in([line.text for line in said]):
        one, two = said[pair.one], said[pair.two]
        if pair.score >= FLOOR and not one.part == two.part == INFOBOX:
            kind = _kind(one.part, two.part) or SENTENCES
            texts = (one.text[:LONGEST], two.text[:LONGEST])
            reason = _reason(pair.kind, one.text, two.text)
            found.append(Candidate(kind, *texts, _shown(one.part), _shown(two.part), reason, pair.score))
    return found


def _reason(kind: str, one: str, two: str) -> str:
    said = reason_for(one, two) or say("much alike")
    # Without a clash of two values, only the words that both have are named.
    if kind == NUMBERS and "≠" not in said:
        said = say("other numbers, {said}", said=said)
    return said if len(said) <= MOST_REASON else said[:MOST_REASON]


def _best(found: Iterable[Candidate], most: int) -> list[Candidate]:
    """The likeliest ones; each pair of texts once."""
    seen: set[tuple[str, str]] = set()
    best = []
    for each in sorted(found, key=lambda one: -one.score):
        if (each.text_1, each.text_2) not in seen:
            seen.add((each.text_1, each.text_2))
            best.append(each)
    return best[: max(most, 0)]
