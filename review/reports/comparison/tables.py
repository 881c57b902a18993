"""The numbers of model against model: the page's tables with their links to responses, and the rows of its files."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from core.languages import changed, joined, say, say_count

from ...statistics.comparison import REPEATED
from ...statistics.estimates import Estimate, Interval, Undefined
from ...statistics.p_values import p_words
from ..drawing.points import between, signed
from ..kinds import leaves_out, template_key
from ..layout import Cell, Column, Table, Value, ends_in_record, in_record, number_cell, undefined_cell
from ..links import ResponseFilter, response_list
from ..scope import Scope
from .pairs import Compared

# "Call" without a colon is the message of a call to a model.
CALL = changed(say("Call:"), lambda text: text.rstrip(":"))


def comparison_table(scope: Scope, heading: str, own: Sequence[Compared]) -> Table:
    columns = [
        Column(say("First"), words=True),
        Column(say("Second"), words=True),
        Column(CALL, words=True),
        Column("n", say("Instances"), title=say("Instances that both answered")),
        Column(say("First only"), say("Instances"), title=say("Discordant: the first is correct more often")),
        Column(say("Second only"), say("Instances"), title=say("Discordant: the second is correct more often")),
        Column(say("First"), say("Correct, %")),
        Column(say("Second"), say("Correct, %")),
        Column(say("Points"), say("Difference"), title=say("First less second, in percentage points")),
        Column(say("95%"), say("Difference"), title=say("By resampling")),
        Column(say("Analytic 95%"), say("Difference"), title=say("Newcombe's, taking responses as independent")),
        Column("p", say("Correct or not"), title=say("McNemar's exact test")),
        Column(say("Holm"), say("Correct or not"), title=say("Adjusted for all pairs shown")),
        Column("p", say("All verdicts"), title=say("Models swapped at random, instance by instance")),
        Column(say("Holm"), say("All verdicts"), title=say("Adjusted for all pairs shown")),
    ]
    return Table(say("Model against model: {heading}", heading=heading), columns, [_row(scope, each) for each in own])


def _row(scope: Scope, each: Compared) -> list[Cell]:
    found, difference = each.found, each.found.difference
    one, other = _Links(scope, each), _Links(scope, each, turned=True)
    ahead = say("{ahead} ahead", ahead=each.ahead[0]) if each.is_told else say("too close to call")
    return [
        Cell(each.first.name),
        Cell(each.second.name),
        Cell(ahead),
        Cell(
            found.instances,
            joined(
                filter(
                    None,
                    [
                        say_count(
                            found.units, "With {count:,} response of each.", "With {count:,} responses of each."
                        ),
                        each.why_not_all,
                    ],
                )
            ),
            one.to(verdict="any"),
        ),
        Cell(found.first_only, href=one.to(verdict="correct", counterpart="other")),
        Cell(found.second_only, href=other.to(verdict="correct", counterpart="other")),
        _share(found.first, one.to(verdict="correct")),
        _share(found.second, other.to(verdict="correct")),
        Cell(signed(difference.value), each.discordant_words)
        if isinstance(difference, Estimate)
        else undefined_cell(difference),
        _interval(difference.interval),
        _interval(difference.analytic),
        _p_cell(found.mcnemar),
        _p_cell(each.p),
        _p_cell(found.verdicts),
        _p_cell(each.p_verdicts),
    ]


@dataclass(frozen=True, slots=True)
class _Links:
    """Addresses of the first model's responses, or of the second's, to which the other has a counterpart."""

    scope: Scope
    each: Compared
    turned: bool = False

    def to(self, **more: str) -> str:
        """The address; empty if instances are counted and an instance has several responses."""
        found, template = self.each.found, self.each.template
        is_counted_once = found.units == found.instances and found.difference.analytic is not REPEATED
        if not is_counted_once and more != {"verdict": "correct"}:
            return ""
        one, other = (self.each.first, self.each.second)[:: -1 if self.turned else 1]
        passages = "reported" if template is None else "different" if leaves_out(template) else ""
        return response_list(
            ResponseFilter(
                scope=self.scope,
                template=template.pk if template else None,
                model=one.pk,
                against=other.pk,
                passages=passages,
                **more,  # type: ignore[arg-type]
            )
        )


def _share(value: float | Undefined, href: str) -> Cell:
    return number_cell(value, href=href, as_percent=True)


def _interval(interval: Interval | Undefined) -> Cell:
    if isinstance(interval, Undefined):
        return undefined_cell(interval)
    return Cell(between(interval))


def _p_cell(p: float | Undefined) -> Cell:
    if isinstance(p, Undefined):
        return undefined_cell(p)
    return Cell(p_words(p), say("p {p:.2g}", p=p))


def data_of(compared: Sequence[Compared]) -> list[dict[str, object]]:
    return [
        {
            "template": template_key(each.template) if each.template else None,
            "first_model": each.first.name,
            "second_model": each.second.name,
            **asdict(each.found),
            "discordant": each.found.discordant,
            "counterparts": {**asdict(each.counterparts), "reason": each.why_not_all},
            "mcnemar_holm": each.p,
            "verdicts_holm": each.p_verdicts,
            "told_apart": each.is_told,
        }
        for each in compared
    ]


def record_of(each: Compared) -> dict[str, Value]:
    found, difference = each.found, each.found.difference
    return {
        "template": each.template.label if each.template else "all",
        "first": each.first.name,
        "second": each.second.name,
        "instances": found.instances,
        "units": found.units,
        "instances_of_first": each.counterparts.first,
        "instances_of_second": each.counterparts.second,
        "why_not_all": each.why_not_all,
        "first_only": found.first_only,
        "second_only": found.second_only,
        "first_correct": in_record(found.first),
        "second_correct": in_record(found.second),
        "difference": in_record(difference),
        **ends_in_record("difference", difference.interval),
        **ends_in_record("difference_newcombe", difference.analytic),
        "mcnemar_p": in_record(found.mcnemar),
        "mcnemar_holm": in_record(each.p),
        "verdicts_p": in_record(found.verdicts),
        "verdicts_holm": in_record(each.p_verdicts),
        "told_apart": "yes" if each.is_told else "no",
    }
