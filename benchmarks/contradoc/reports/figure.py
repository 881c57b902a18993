"""The statistics of a release of ContraDoc, and Figure 2: which labels occur together."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.reading.sentences import SPLITTER, sentences
from core.languages import say
from core.refusals import Refusal
from core.words import plural
from review.reports.drawing.plots import Grid, GridField, amounts, share_field
from review.reports.layout import Cell, Column, Report, Section, Table, as_number
from review.reports.scope import Scope
from review.statistics.rounding import percent
from review.statistics.shares import FEW

from ..content.statistics import labelled, statistics
from ..content.tokens import Tokens, configured_tokens
from ..files import contents_of
from ..items import DOC_TYPES, KIND, TYPES, Content, is_positive, types_of
from .facts import release_of
from .metrics import chance

EMPTY = say(
    "There is no release of ContraDoc. Import its published file with manage.py import_contradoc FILE or on the page "
    "Releases, or release verified documents; their numbers then appear here."
)
K = 5


def statistics_report(scope: Scope) -> Report:
    """The documents of a release in numbers; of the newest one of ContraDoc if the scope has none."""
    release = release_of(scope)
    if release is None:
        return Report("ContraDoc in numbers", (), [], {}, [], empty=EMPTY)
    contents = list(contents_of(release))
    tokens, said = _tokens(scope)
    numbers = statistics(contents, tokens)
    counted = labelled(numbers)
    types = [(name, count, f"{count:,}") for name, count in numbers["contra_type"].items()]
    by_chance = _chance(contents)
    return Report(
        title=say("ContraDoc in numbers"),
        lead=[
            say(
                "{release} has {positive} with a contradiction, from {sources}, and {negative:,} without.",
                release=release,
                positive=plural(numbers["positive"], "document"),
                sources=plural(numbers["source documents of the positive"], "source document"),
                negative=numbers["negative"],
            ),
        ],
        sections=[
            Section(
                "",
                plots=[amounts(say("Types of contradiction; a document may have several"), types)],
                table=Table(
                    say("Documents"),
                    [Column(say("Statistic"), words=True), Column(say("Count"))],
                    [[Cell(words), Cell(count)] for words, count in counted],
                ),
            ),
        ],
        data={
            **numbers,
            "release": release.number,
            "chance EHR": {"k": K, "splitter": SPLITTER, **by_chance},
        },
        records=[{"statistic": words, "count": count} for words, count in counted],
        about=say(
            "A word is anything between white space. {said} Evidence or ref sentences are “not in the text” "
            "if they do not occur there word for word, white space aside.",
            said=said,
        ),
    )


def _tokens(scope: Scope) -> tuple[Tokens | None, str]:
    """The tokenizer for lengths besides words, and a note about it."""
    try:
        tokens = configured_tokens()
    except Refusal as refusal:
        # The refusal names a folder of this server.
        why = say("the tokenizer cannot be read.") if scope.public else refusal.message
        return None, say("Lengths in tokens are missing: {why}", why=why)
    if tokens is None:
        return None, say("Lengths in tokens are missing: the settings name no tokenizer.")
    return tokens, say(
        "Tokens are counted with the tokenizer {name}; the paper does not name its own.", name=tokens.name
    )


def _chance(contents: Iterable[Content]) -> dict[str, Any]:
    """The chance that five random sentences hold the evidence, in percent, over the positive documents of each
    kind.
    """
    counts: dict[str, Counter[int]] = {"all": Counter()}
    for content in contents:
        if is_positive(content):
            number = len(sentences(content["text"]))
            counts["all"][number] += 1
            counts.setdefault(content[KIND], Counter())[number] += 1
    rates = {name: chance(each, k=K) for name, each in counts.items()}
    return {name: None if rate is None else round(100 * rate, 1) for name, rate in rates.items()}


# --- Figure 2 -------------------------------------------------------------------------------------------------------


def figure_2(scope: Scope) -> Report:
    """The share of the documents with one label that have another: P(label | label)."""
    release = release_of(scope)
    if release is None:
        return Report(say("Labels that occur together"), (), [], {}, [], empty=EMPTY)
    labels, singles, pairs = _counted(contents_of(release))
    given = {one: {other: _share(pairs, singles, one, other) for other in labels} for one in labels if singles[one]}
    return Report(
        title=say("Labels that occur together"),
        lead=_lead(given, singles) or [say("{release} has no document with a contradiction.", release=release)],
        sections=[
            Section("", plots=[_grid(labels, singles, pairs)], table=_table(labels, singles, given)),
        ],
        data={
            "release": release.number,
            "documents": {one: singles[one] for one in labels},
            "both": {one: {other: pairs[one, other] for other in labels} for one in labels},
            "given": given,
        },
        records=[
            {"given": one, "label": other, "n": singles[one], "both": pairs[one, other], "percent": share}
            for one, shares in given.items()
            for other, share in shares.items()
        ],
        about=say("Each row: of the positive documents with this label, how many percent have the column’s label."),
    )


Counts = tuple[list[str], Counter[str], Counter[tuple[str, str]]]


def _counted(contents: Iterable[Content]) -> Counts:
    """The labels in their order, and the number of positive documents with each, and with each two."""
    singles: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for content in contents:
        if is_positive(content):
            labels = [content[KIND], *types_of(content)]
            singles.update(labels)
            pairs.update((one, other) for one in labels for other in labels)
    known = (*DOC_TYPES, *TYPES)
    return [*known, *sorted(set(singles) - set(known))], singles, pairs


def _share(pairs: Counter[tuple[str, str]], singles: Counter[str], one: str, other: str) -> float | None:
    return as_number(percent(pairs[one, other], singles[one]))


def _lead(given: Mapping[str, Mapping[str, float | None]], singles: Counter[str]) -> list[str]:
    """The two types that occur together most often."""
    found = [
        (share, one, other)
        for one, shares in given.items()
        for other, share in shares.items()
        if one != other and one in TYPES and other in TYPES and share
    ]
    enough = [each for each in found if singles[each[1]] >= FEW]
    if found and not enough:
        return [say("No type that occurs with another one has {few} documents, so none are ranked.", few=FEW)]
    found = enough
    if not found:
        return [say("No document has two types of contradiction.")] if singles else []
    share, one, other = max(found)
    return [
        say(
            "Of the documents with {one}, {share}% have {other}, too: no two types occur together more often.",
            one=one,
            share=share,
            other=other,
        )
    ]


def _short(label: str) -> str:
    """The first word of a label such as Perspective/View/Opinion."""
    return label.split("/")[0]


def _grid(labels: list[str], singles: Counter[str], pairs: Counter[tuple[str, str]]) -> Grid:
    def field(one: str, other: str) -> GridField:
        n, both = singles[one], pairs[one, other]
        return share_field(
            both, n, say("{both:,} of {n:,} with {one} have {other}", both=both, n=n, one=one, other=other)
        )

    return Grid(
        name=say("P(column | row), in percent"),
        columns=[_short(label) for label in labels],
        lines=[(one, [field(one, other) for other in labels]) for one in labels],
        about=say("The darker, the more of a row's documents have the label of the column."),
    )


def _table(labels: list[str], singles: Counter[str], given: Mapping[str, Mapping[str, float | None]]) -> Table:
    columns = [
        Column(say("Given"), words=True),
        Column("n"),
        *(Column(_short(label), title=label) for label in labels),
    ]
    rows: list[list[Cell]] = [
        [Cell(one), Cell(singles[one]), *(Cell(share) for share in shares.values())] for one, shares in given.items()
    ]
    return Table(say("P(label | label), in percent"), columns, rows)
