"""The consensus report: responses that three or more people judged, their agreement, and the estimate of Dawid and
Skene from their verdicts. It is for information; no final verdict ever depends on it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.urls import reverse

from core.languages import say, say_count
from core.models import User
from judging.models import LanguageModel, Response
from judging.protocol.verdicts import Verdict

from ...statistics.agreement.many_raters import ManyRaters, agreement_of_many
from ...statistics.dawid_skene import DawidSkene, dawid_skene
from ...statistics.estimates import Undefined
from ...statistics.rounding import half_up
from ..clusters import ORDER, Units
from ..drawing.plots import COEFFICIENTS, LETTERS, HeatMap, Plot, coefficient_points, heat_map, intervals
from ..kinds import LABELS, in_order
from ..layout import (
    Cell,
    Column,
    Note,
    Report,
    Section,
    Table,
    Value,
    estimate_cells,
    estimate_record,
    number_cell,
    with_interval,
)
from ..links import ResponseFilter, response_list
from ..scope import Scope
from .many_judged import MOST_PAIRS, Choices, ManyJudged, are_too_many, by_choices, pairs_of_many, read_judged

# The numbers of responses and of people that the page shows; files have all.
LISTED, DRAWN = 20, 8
# A response is listed if its verdict is less probable than this, or is not its final one.
CERTAIN = 0.99
QUESTION = 80
ABOUT = say(
    "Agreement before adjudication, of responses in rounds that ask for three judgments or "
    "more. The 95% interval comes from resampling."
)
ABOUT_ESTIMATE = say(
    "Dawid and Skene's estimate assumes that each response has one true verdict, and that each "
    "person errs in their own way, independently of the others. If people make the same "
    "errors, or a response is hard for everyone, the estimate is too certain. It adds "
    "information to the final verdicts and decides none of them."
)

NONE_OF_IT = Undefined(say("none of the person's responses has this verdict"))


@dataclass(frozen=True)
class Estimated:
    """The estimate over templates that offer the same verdicts; `people` are the numbers of its rows."""

    choices: Choices
    people: Sequence[int]
    found: DawidSkene | Undefined

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return self.choices.verdicts

    @cached_property
    def probabilities(self) -> list[tuple[ManyJudged, list[float]]]:
        """Each response with verdicts, with the probabilities of all verdicts."""
        if isinstance(self.found, Undefined):
            return []
        rows = zip(self.choices.judged, self.found.posterior.tolist(), strict=True)
        return [(judged, of_verdicts) for judged, of_verdicts in rows if judged.verdicts]

    @cached_property
    def probable(self) -> list[tuple[ManyJudged, Verdict, float]]:
        """Each of these with the most probable verdict and its probability."""
        return [(judged, self.verdicts[each.index(max(each))], max(each)) for judged, each in self.probabilities]

    @property
    def doubtful(self) -> list[tuple[ManyJudged, Verdict, float]]:
        """The responses worth checking: the least certain ones first."""
        found = [row for row in self.probable if row[2] < CERTAIN or row[0].final != row[1]]
        return sorted(found, key=lambda row: (row[2], row[0].response))[:LISTED]

    @property
    def differing(self) -> int:
        return sum(bool(judged.final) and judged.final != verdict for judged, verdict, _ in self.probable)


def consensus_report(scope: Scope) -> Report:
    """The report; empty if no response was judged by three people, or if there are too many to estimate."""
    if are_too_many(pairs_of_many(scope)):
        return _empty(
            say(
                "There are more than {most_pairs:,} pairs of judgments here. Choose a release, a run or a "
                "round: the estimate is computed for that.",
                most_pairs=MOST_PAIRS,
            )
        )
    judged = read_judged(scope)
    if not judged:
        return _empty(
            say(
                "No response was judged by three or more people yet. Begin a round that asks for three to "
                "five judgments of each response; it appears here once all judgments of a response count."
            )
        )
    groups, of_scope = list(by_choices(judged)), scope.notes()
    estimates = [_estimated(group) for group in groups]
    names = _Names(judged)
    of_template = {template: group for group in groups for template in group.templates}
    agreement = [
        (
            say("Prompt {label}", label=each.label),
            each.pk,
            _agreement(of_template[each], of_template[each].of(each), scope.units),
        )
        for each in in_order(of_template)
    ]
    return Report(
        title=say("Consensus of three and more"),
        lead=[_sentence(judged), *(_estimate_in_words(each, len(groups)) for each in estimates)],
        sections=[
            _agreement_section(scope, agreement),
            *(section for each in estimates for section in _sections(scope, each, names)),
        ],
        data=_data(agreement, estimates, names),
        records=list(_records(agreement, estimates, names)),
        notes=[*_notes(judged), *of_scope],
        about=ABOUT,
    )


def _empty(why: str) -> Report:
    return Report(say("Consensus of three and more"), (), (), {"agreement": [], "estimates": []}, (), empty=why)


def _estimated(group: Choices) -> Estimated:
    numbers = {ORDER[verdict]: number for number, verdict in enumerate(group.verdicts)}
    people = sorted({person for judged in group.judged for person in judged.verdicts})
    row_of = {person: row for row, person in enumerate(people)}
    said = [
        (row, row_of[person], numbers[verdict])
        for row, judged in enumerate(group.judged)
        for person, verdict in judged.verdicts.items()
    ]
    columns = list(zip(*said, strict=True)) or [(), (), ()]
    return Estimated(group, people, dawid_skene(*columns, k=len(group.verdicts), responses_in_all=len(group.judged)))


def _agreement(group: Choices, judged: Sequence[ManyJudged], units: Units) -> ManyRaters:
    kept = [ORDER[verdict] for verdict in group.verdicts]
    counts = np.array([each.counts for each in judged])[:, kept]
    return agreement_of_many(counts, clusters=units.unit(np.array([each.instance for each in judged])))


# In words


def _sentence(judged: Sequence[ManyJudged]) -> str:
    most = [max(each.counts) for each in judged]
    people = [len(each.said) for each in judged]
    same = sum(count == of for count, of in zip(most, people, strict=True))
    half = sum(2 * count > of > count for count, of in zip(most, people, strict=True))
    return say(
        "Of {responses} in rounds of three and more judgments, {same:,} got the same verdict from "
        "all, {half:,} only from more than half, and {rest:,} from at most half.",
        responses=say_count(len(judged), "{count:,} response", "{count:,} responses"),
        same=same,
        half=half,
        rest=len(judged) - same - half,
    )


def _estimate_in_words(each: Estimated, groups: int) -> str:
    where = say(" for {choices}", choices=each.choices.label) if groups > 1 else ""
    if isinstance(each.found, Undefined):
        return say(
            "Dawid and Skene's estimate is not defined{where}: {reason}.", where=where, reason=each.found.reason
        )
    final = sum(bool(judged.final) for judged, _, _ in each.probable)
    if not each.differing:
        return say(
            "Dawid and Skene's estimate{where} agrees with the final verdict of {responses}.",
            where=where,
            responses=say_count(final, "{count:,} response", "{count:,} responses"),
        )
    return say(
        "Dawid and Skene's estimate{where} differs from the final verdict of {differing:,} of "
        "{responses} that have one.",
        where=where,
        differing=each.differing,
        responses=say_count(final, "{count:,} response", "{count:,} responses"),
    )


def _notes(judged: Sequence[ManyJudged]) -> list[Note]:
    count = sum("" in each.said.values() for each in judged)
    if not count:
        return []
    return [
        Note(
            say_count(
                count,
                "{count:,} response could not be judged by at least one person, whose judgment is in no coefficient.",
                "{count:,} responses could not be judged by at least one person, whose judgment is in no "
                "coefficient.",
            )
        )
    ]


class _Names:
    """The names of responses, people and models, read together."""

    def __init__(self, judged: Sequence[ManyJudged]):
        people = {person for each in judged for person in each.said}
        self.people = {pk: str(person) for pk, person in User.objects.in_bulk(people).items()}
        self.models = {
            pk: row.name for pk, row in LanguageModel.objects.in_bulk({each.model for each in judged}).items()
        }
        rows = Response.objects.filter(items__round__judgments_each__gt=2).order_by()
        wanted = {each.response for each in judged}
        self.responses = {
            pk: (str(key), question)
            for pk, key, question in rows.values_list("pk", "key", "instance__question")
            if pk in wanted
        }


# Sections

Measured = tuple[str, int, ManyRaters]


def _agreement_section(scope: Scope, agreement: Sequence[Measured]) -> Section:
    columns = [
        Column(say("Prompt"), words=True),
        Column("n", title=say("Responses with two verdicts or more")),
        Column(say("Judgments"), title=say("Of these responses, without people who could not judge")),
        *with_interval(
            Column(
                say("Same, %"),
                say("Two people agree"),
                title=say("Share of pairs of people who gave the same verdict"),
            )
        ),
        *with_interval(Column(say("Kappa"), say("Fleiss' kappa"))),
        *with_interval(Column("AC1", say("Gwet's AC1"))),
        *with_interval(Column(say("Alpha"), say("Krippendorff's alpha"))),
    ]
    rows = []
    for label, template, found in agreement:
        href = response_list(ResponseFilter(scope=scope, template=template, pairs="many"))
        row = [Cell(label), Cell(found.n, href=href), Cell(found.judgments)]
        row += estimate_cells(found.raw, href=href, as_percent=True)
        for number in (found.kappa, found.ac1, found.alpha):
            row += estimate_cells(number, href=href)
        rows.append(row)
    plot = intervals(
        say("Agreement of all who judged, with its 95% interval"),
        [
            ("", label, coefficient_points(label, found.n, found.kappa, found.ac1), say("n {n:,}", n=found.n))
            for label, _, found in agreement
        ],
        ticks=COEFFICIENTS,
        legend=[("circle", say("Fleiss' kappa")), ("diamond", "AC1")],
    )
    return Section(
        say("Agreement by prompt"), plots=[plot], table=Table(say("Agreement of all who judged"), columns, rows)
    )


def _sections(scope: Scope, each: Estimated, names: _Names) -> list[Section]:
    if isinstance(each.found, Undefined):
        return []
    plots: list[Plot] = [_confusion_of(each, row, each.found, names) for row in range(min(DRAWN, len(each.people)))]
    table = _people_table(scope, each, names)
    sections = [
        Section(say("Verdicts of each person, {choices}", choices=each.choices.label), ABOUT_ESTIMATE, plots, table)
    ]
    if each.doubtful:
        about = say(
            "Their most probable verdict is uncertain, or differs from the final one; the least certain come first."
        )
        table = _responses_table(each, names)
        sections.append(Section(say("Doubtful responses, {choices}", choices=each.choices.label), about, table=table))
    return sections


def _confusion_of(each: Estimated, row: int, found: DawidSkene, names: _Names) -> HeatMap:
    counts = np.nan_to_num(found.confusion[row] * found.expected[row][:, None])
    return heat_map(
        names.people[each.people[row]],
        [[int(half_up(float(count), 0)) for count in line] for line in counts],
        [verdict.value for verdict in each.verdicts],
        rows_are=say("estimated"),
        columns_are=say("said"),
        labels=LABELS,
    )


def _people_table(scope: Scope, each: Estimated, names: _Names) -> Table:
    columns = [
        Column(say("Person"), words=True),
        Column(say("Estimated verdict"), words=True),
        Column("n", title=say("Expected number of their responses with this verdict, by the estimate")),
        *(
            Column(f"{LETTERS[verdict]}, %", say("Their verdict"), title=str(verdict.label))
            for verdict in each.verdicts
        ),
    ]
    rows = [
        [
            Cell(names.people[person]),
            Cell(str(verdict.label)),
            Cell(half_up(n, 1), href=_judged_by(scope, person)),
            *(number_cell(share, href=_judged_by(scope, person), as_percent=True) for share in shares),
        ]
        for person, verdict, n, shares in _confusions(each)
    ]
    return Table(say("Estimated confusion of each person, {choices}", choices=each.choices.label), columns, rows)


def _judged_by(scope: Scope, person: int) -> str:
    return response_list(ResponseFilter(scope=scope, pairs="many", person=person))


def _confusions(each: Estimated) -> Iterator[tuple[int, Verdict, float, list[float | Undefined]]]:
    """(person, estimated verdict, number of responses behind it, the person's verdicts)."""
    if isinstance(each.found, Undefined):
        return
    for row, person in enumerate(each.people):
        for number, verdict in enumerate(each.verdicts):
            shares = each.found.confusion[row, number]
            plain = [NONE_OF_IT if np.isnan(share) else float(share) for share in shares]
            yield person, verdict, float(each.found.expected[row, number]), plain


def _responses_table(each: Estimated, names: _Names) -> Table:
    columns = [
        Column(say("Question"), words=True),
        Column(say("Model"), words=True),
        Column(say("Verdicts"), title=say("Number of people who gave each verdict")),
        Column(say("Most probable"), words=True),
        Column(say("Probability, %")),
        Column(say("Final verdict"), words=True),
    ]
    rows = []
    for judged, verdict, probability in each.doubtful:
        key, question = names.responses[judged.response]
        said = " ".join(
            f"{count} {LETTERS[kind]}" for kind, count in zip(Verdict, judged.counts, strict=True) if count
        )
        rows.append(
            [
                Cell(question[:QUESTION], question),
                Cell(names.models[judged.model]),
                Cell(said, href=reverse("response", args=[key])),
                Cell(str(verdict.label)),
                number_cell(probability, as_percent=True),
                Cell(LABELS.get(judged.final)),
            ]
        )
    return Table(say("Doubtful responses, {choices}", choices=each.choices.label), columns, rows)


# For programs


def _data(agreement: Sequence[Measured], estimates: Sequence[Estimated], names: _Names) -> dict[str, object]:
    return {
        "agreement": [{"group": label, **asdict(found)} for label, _, found in agreement],
        "estimates": [_estimate_data(each, names) for each in estimates],
    }


def _or_null(shares: Sequence[float | Undefined]) -> list[float | None]:
    return [None if isinstance(share, Undefined) else share for share in shares]


def _estimate_data(each: Estimated, names: _Names) -> dict[str, object]:
    data: dict[str, Any] = {
        "templates": [template.label for template in each.choices.templates],
        "verdicts": [verdict.value for verdict in each.verdicts],
    }
    if isinstance(each.found, Undefined):
        return data | asdict(each.found)
    return data | {
        "shares": each.found.prior.tolist(),
        "rounds": each.found.rounds,
        "people": [
            {"person": names.people[person], "verdict": verdict.value, "n": n, "says": _or_null(shares)}
            for person, verdict, n, shares in _confusions(each)
        ],
        "responses": [
            {
                "response": names.responses[judged.response][0],
                "model": names.models[judged.model],
                "counts": judged.counts,
                "probabilities": probabilities,
                "final": judged.final or None,
            }
            for judged, probabilities in each.probabilities
        ],
    }


def _records(
    agreement: Sequence[Measured], estimates: Sequence[Estimated], names: _Names
) -> Iterator[dict[str, Value]]:
    """Rows of four kinds with the same columns: a template's agreement, an estimate that is not defined, a person's
    confusion, a response's verdict."""
    numbers = [f"{name}{end}" for name in ("raw", "kappa", "ac1", "alpha") for end in ("", "_low", "_high")]
    empty: dict[str, Value] = dict.fromkeys(("what", "group", "model", "verdict", "n", *LABELS, "final", *numbers))
    for label, _, found in agreement:
        record = empty | {"what": "agreement", "group": label, "n": found.n}
        for name in ("raw", "kappa", "ac1", "alpha"):
            record |= estimate_record(name, getattr(found, name))
        yield record
    for each in estimates:
        kinds = [verdict.value for verdict in each.verdicts]
        if isinstance(each.found, Undefined):
            yield empty | {"what": "estimate", "group": each.choices.label, **dict.fromkeys(kinds, each.found)}
        for person, verdict, n, shares in _confusions(each):
            given = dict(zip(kinds, shares, strict=True))
            yield empty | {"what": "person", "group": names.people[person], "verdict": verdict.value, "n": n, **given}
        for judged, probabilities in each.probabilities:
            yield empty | {
                "what": "response",
                "group": names.responses[judged.response][0],
                "model": names.models[judged.model],
                "verdict": kinds[probabilities.index(max(probabilities))],
                "n": sum(judged.counts),
                "final": judged.final or None,
                **dict(zip(kinds, probabilities, strict=True)),
            }
