"""Table 6 of ContraDoc: how often the evidence is among five quotes, by kind of contradiction and of document; each
group against its own chance rate."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from core.languages import joined, say
from review.reports.drawing.plots import Grid, GridField, share_field
from review.reports.layout import (
    Cell,
    Column,
    Report,
    Section,
    Table,
    Value,
    as_number,
    ends_of,
    share_cell,
    share_data,
    shown,
    undefined_cell,
)
from review.reports.scope import Scope
from review.statistics.comparison import holm
from review.statistics.estimates import Estimate, Undefined
from review.statistics.p_values import p_number, p_words
from review.statistics.rounding import percent
from review.statistics.shares import FEW, is_too_close, share_difference, share_estimates

from ..content.statistics import BIN_NAMES
from ..items import DOC_TYPES, SCOPES, TYPES
from .facts import Facts, facts_of
from .metrics import Tallies, binomial_p, chance
from .readings import TOP_K_TASK, Row, rows_of

K = 5
TYPE, DOC_TYPE, SCOPE, WORDS = "by type", "by doc_type", "by scope", "by words"
# How documents are divided, and the order of the groups; others come behind.
DIVISIONS: dict[str, tuple[Callable[[Facts], Sequence[str]], tuple[str, ...]]] = {
    TYPE: (lambda facts: facts.types, TYPES),
    DOC_TYPE: (lambda facts: (facts.doc_type,), DOC_TYPES),
    SCOPE: (lambda facts: (facts.scope,), tuple(reversed(SCOPES))),
    WORDS: (lambda facts: (facts.words,), BIN_NAMES),
}
HEADINGS = {TYPE: say("Type"), DOC_TYPE: say("Document"), SCOPE: say("Scope"), WORDS: say("Words")}
CERTAIN = 0.05
# Keys of a group, as (division, group); the empty one is all documents.
Key = tuple[str, str]
OVERALL: Key = ("", "all")


@dataclass(frozen=True)
class Group:
    """One model's results in one group of documents. `p` is against the group's own chance rate, `corrected` for the
    number of groups of this model; both None if there is nothing to test.
    """

    n: int
    hits: int
    rate: Estimate | Undefined
    chance: float | None
    p: float | None
    corrected: float | None = None

    @cached_property
    def as_data(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "hits": self.hits,
            "EHR": as_number(percent(self.hits, self.n)),
            "interval": share_data(self.rate)["interval"],
            "chance EHR": chance_number(self.chance),
            "p": None if self.p is None else p_number(self.p),
            "p (Holm)": None if self.corrected is None else p_number(self.corrected),
        }


def chance_number(chance: float | None) -> float | None:
    """The result of five random sentences, for JSON: in percent."""
    return None if chance is None else float(shown(chance, as_percent=True))


def groups_of(rows: Sequence[Row]) -> list[dict[Key, Group]]:
    """The groups of each model's readings, all of them first. Readings are added up by document, then by group."""
    documents = np.unique(np.concatenate([row.tallies.document for row in rows])) if rows else np.zeros(0, dtype=int)
    known = facts_of(documents.tolist())
    facts = [known[document] for document in documents.tolist()]
    members: dict[Key, list[int]] = {OVERALL: list(range(len(facts)))}
    for at, each in enumerate(facts):
        for key in _keys(each):
            members.setdefault(key, []).append(at)
    order = [OVERALL, *_in_order(members)]
    counted = _counted([row.tallies for row in rows], documents, [members[key] for key in order], facts)
    return [_corrected(_groups(order, *each)) for each in counted]


def _keys(facts: Facts) -> Iterable[Key]:
    for division, (groups, _) in DIVISIONS.items():
        yield from ((division, group) for group in groups(facts))


def _in_order(keys: Iterable[Key]) -> list[Key]:
    found: list[Key] = []
    for division, (_, order) in DIVISIONS.items():
        there = {group for of, group in keys if of == division}
        found += [(division, group) for group in (*order, *sorted(there - set(order))) if group in there]
    return found


Rate = Estimate | Undefined
Counted = tuple[np.ndarray, np.ndarray, Sequence[Rate]]


def _counted(
    found: Sequence[Tallies], documents: np.ndarray, members: Sequence[Sequence[int]], facts: Sequence[Facts]
) -> Iterator[Counted]:
    """For each model and its groups of these documents: hits and misses, the expected hits of five random sentences,
    and the evidence hit rates with their intervals by resampling source documents.
    """
    if not found:
        return
    by_chance = np.array([chance({each.sentences: 1}, k=K) for each in facts], dtype=float)
    sources, counts = _by_document(found, documents)
    in_groups = np.zeros((found[0].sources, len(found), len(members), 2))
    expected = np.zeros((len(found), len(members)))
    for number, these in enumerate(members):
        np.add.at(in_groups[:, :, number], sources[these], counts[these])
        expected[:, number] = by_chance[these] @ counts[these].sum(axis=2)
    rates = [rate for (rate,) in share_estimates(in_groups.reshape(len(in_groups), -1, 2), first=1)]
    for number, sums in enumerate(in_groups.sum(axis=0).astype(int)):
        start = number * len(members)
        yield sums, expected[number], rates[start : start + len(members)]


def _by_document(found: Sequence[Tallies], documents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The source of each document, and each model's hits and misses in it, shape (documents, models, 2)."""
    sources, counts = np.zeros(len(documents), dtype=int), np.zeros((len(documents), len(found), 2))
    for number, tallies in enumerate(found):
        at = np.searchsorted(documents, tallies.document)
        sources[at] = tallies.source
        np.add.at(counts[:, number], (at, np.where(tallies.hit, 0, 1)), 1)
    return sources, counts


def _groups(
    order: Sequence[Key], counts: np.ndarray, expected: np.ndarray, rates: Sequence[Rate]
) -> dict[Key, Group]:
    """The groups in which a model has readings."""
    found = {}
    for key, (hits, misses), by_chance, rate in zip(order, counts.tolist(), expected.tolist(), rates, strict=True):
        n = hits + misses
        if n:
            # Rounding errors must not make it more than certain.
            p = min(1.0, by_chance / n)
            found[key] = Group(n, hits, rate, p, binomial_p(hits, n, p))
        elif key == OVERALL:
            found[key] = Group(0, 0, rate, None, None)
    return found


def _corrected(found: dict[Key, Group]) -> dict[Key, Group]:
    tested = {key: group.p for key, group in found.items() if key != OVERALL and group.p is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    return {key: replace(group, corrected=corrected.get(key)) for key, group in found.items()}


def data_of(groups: Mapping[Key, Group]) -> dict[str, dict[str, object]]:
    """The groups under the names that the published figures have."""
    found: dict[str, dict[str, Any]] = {}
    for (division, group), values in groups.items():
        if division:
            found.setdefault(division, {})[group] = values.as_data
    return found


# --- Table 6 --------------------------------------------------------------------------------------------------------


def table_6(scope: Scope) -> Report:
    """Evidence hit rates by attribute of the document."""
    rows = [row for row in rows_of(scope, TOP_K_TASK) if len(row.tallies)]
    groups, notes = groups_of(rows), scope.notes()
    keys = [OVERALL, *_in_order({key for each in groups for key in each})] if rows else []
    return Report(
        title=say("Top five by attribute"),
        lead=_lead(rows, groups),
        sections=[Section("", plots=[_grid(rows, groups, keys)], table=_table(rows, groups, keys))],
        data={
            "topk": {row.name: {**_overall(each), **data_of(each)} for row, each in zip(rows, groups, strict=True)},
            "k": K,
        },
        records=_records(rows, groups),
        notes=notes,
        about=say(
            "EHR: documents whose evidence is among the five quotes, in percent of n. Chance: the mean of "
            "min(1, 5 / sentences) over the documents of the group. p: two-sided binomial test against the group's "
            "own chance; beside it the value corrected for the number of groups of the model (Holm). A document of "
            "several types counts in each; one of two scopes is a group by itself. Lengths are in words."
        ),
        empty=say(
            "No reply to the task of the five likeliest sentences has been read. Start a run on a release of "
            "ContraDoc, or import replies: Responses, Import, replies to tasks."
        ),
    )


def _overall(groups: Mapping[Key, Group]) -> dict[str, object]:
    values = groups[OVERALL].as_data
    return {name: value for name, value in values.items() if name != "p (Holm)"}


def _lead(rows: Sequence[Row], groups: Sequence[Mapping[Key, Group]]) -> list[str]:
    return [_sentence(row, each) for row, each in zip(rows, groups, strict=True)][:4]


def _sentence(row: Row, groups: Mapping[Key, Group]) -> str:
    """The kinds of document in which a model finds most and least, of those with enough documents, and whether the
    data distinguish them.
    """
    rated = [
        (values.hits / values.n, key, values)
        for key, values in groups.items()
        if key[0] == DOC_TYPE and values.n >= FEW
    ]
    if len(rated) < 2:
        overall = groups[OVERALL]
        return say(
            "{model} finds {share:f}% of {n:,}.",
            model=row.name,
            share=percent(overall.hits, overall.n),
            n=overall.n,
        )
    best, worst = max(rated), min(rated)
    found = {
        "model": row.name,
        "share": percent(best[2].hits, best[2].n),
        "kind": best[1][1],
        "other_share": percent(worst[2].hits, worst[2].n),
        "other_kind": worst[1][1],
    }
    if _too_close(row, best[1][1], worst[1][1]):
        return say(
            "{model} finds {share:f}% in {kind} documents and {other_share:f}% in {other_kind} documents, which is "
            "too close to call.",
            **found,
        )
    return say(
        "{model} finds {share:f}% in {kind} documents and {other_share:f}% in {other_kind} documents.", **found
    )


def _too_close(row: Row, one: str, other: str) -> bool:
    """Return whether the data do not show in which of two kinds of document a model finds more."""
    tallies = row.tallies
    known = facts_of(np.unique(tallies.document).tolist())
    kind = np.array([known[document].doc_type for document in tallies.document.tolist()])
    hits = np.stack([tallies.hit, ~tallies.hit]).astype(float)
    of_one, of_other = (tallies.by_source(hits * (kind == each)) for each in (one, other))
    return is_too_close(share_difference(of_one, of_other))


def _grid(rows: Sequence[Row], groups: Sequence[Mapping[Key, Group]], keys: Sequence[Key]) -> Grid:
    def field(row: Row, group: Group | None) -> GridField:
        if group is None:
            return GridField("")
        words = say("{model}: {count:,} of {n:,}", model=row.name, count=group.hits, n=group.n)
        return share_field(group.hits, group.n, words)

    return Grid(
        name=say("Evidence hit rate, in percent, by group"),
        columns=[row.name for row in rows],
        lines=[
            (_label(key), [field(row, each.get(key)) for row, each in zip(rows, groups, strict=True)]) for key in keys
        ],
        about=say("The darker, the more is found. In brackets and not shaded: groups of fewer than {few}.", few=FEW),
    )


def _label(key: Key) -> str:
    return key[1] if key == OVERALL else joined([HEADINGS[key[0]], key[1]], ": ")


NOTHING_READ = Undefined(say("no document of this group was read"))
COLUMNS = (
    ("n", say("Readable replies")),
    (say("Hits"), ""),
    ("EHR", say("Hits in percent of n")),
    (say("Chance"), say("The mean of min(1, 5 / sentences)")),
    ("p", say("Two-sided binomial test against chance")),
    ("Holm", say("p corrected for the number of groups of this model")),
)


def _table(rows: Sequence[Row], groups: Sequence[Mapping[Key, Group]], keys: Sequence[Key]) -> Table:
    columns = [Column(say("Attribute"), words=True), Column(say("Group"), words=True)]
    columns += [Column(name, row.name, title=title) for row in rows for name, title in COLUMNS]
    lines = [
        [
            Cell(HEADINGS.get(key[0], say("All"))),
            Cell(key[1]),
            *(cell for each in groups for cell in _cells(each.get(key))),
        ]
        for key in keys
    ]
    return Table(say("Top five by attribute"), columns, lines)


def _cells(group: Group | None) -> list[Cell]:
    if group is None:
        return [Cell(None, say("No document of this group was read"))] * len(COLUMNS)
    return [
        Cell(group.n),
        Cell(group.hits),
        share_cell(
            percent(group.hits, group.n), group.rate, title=say("{count:,} of {n:,}", count=group.hits, n=group.n)
        ),
        chance_cell(group),
        p_cell(group.p),
        p_cell(group.corrected),
    ]


def chance_cell(group: Group) -> Cell:
    return undefined_cell(NOTHING_READ) if group.chance is None else Cell(shown(group.chance, as_percent=True))


def p_cell(p: float | None) -> Cell:
    if p is None:
        return undefined_cell(NOTHING_READ)
    return Cell(
        p_words(p), say("Differs from chance at 5%") if p < CERTAIN else say("Does not differ from chance at 5%")
    )


def _records(rows: Sequence[Row], groups: Sequence[Mapping[Key, Group]]) -> list[dict[str, Value]]:
    return [
        {
            "template": row.template.label,
            "model": row.model.name,
            "attribute": key[0] or "all",
            "group": key[1],
            **{name: _or_why(value) for name, value in group.as_data.items() if name != "interval"},
            **ends_of(group.rate.interval),
        }
        for row, each in zip(rows, groups, strict=True)
        for key, group in each.items()
    ]


def _or_why(value: Value) -> Value:
    return NOTHING_READ if value is None else value
