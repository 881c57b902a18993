"""Model against model: every pair over the instances that both answered, by template and over all templates."""

from collections.abc import Sequence

from core.languages import joined, say, say_count
from judging.models import LanguageModel, PromptTemplate

from ...statistics.comparison import REPEATED
from ...statistics.estimates import Interval
from ..drawing.plots import Plot
from ..kinds import headline
from ..layout import Note, Report, Section, shown
from ..scope import Scope
from .pairs import MOST_MODELS, Compared, compare_pairs, read_compared
from .plots import forest, matrix, reach_of
from .tables import comparison_table, data_of, record_of

BREAKDOWNS = {"template": say("By prompt"), "pooled": say("All prompts together")}
# Comparisons that a note lists.
MOST_DETAILS = 50


def comparison_report(scope: Scope, by: str = "", page: int | None = None) -> Report:
    """The report, broken down by template, or over all templates together; without `by` both, as in a file."""
    models, left_out, columns, templates = read_compared(scope)
    of_scope = scope.notes()
    compared: dict[str, list[Compared]] = {}
    if len(models) > 1:
        for each in [by] if by else BREAKDOWNS:
            compared[each] = compare_pairs(columns, models, templates if each == "template" else [None], scope.units)
    shown_first = next(iter(compared.values()), [])
    known = [each for each in shown_first if each.found.units]
    return Report(
        title=say("Model against model"),
        lead=_sentences(known),
        sections=[part for each in compared.values() for part in _sections(scope, models, each)],
        data={"comparison": {name: data_of(each) for name, each in compared.items()}},
        records=[record_of(each) for of in compared.values() for each in of],
        notes=[*_notes(left_out, shown_first), *of_scope],
        about=say(
            "Each pair of models over the instances that both answered. The difference is in "
            "percentage points of correct responses, with its 95% interval. p is McNemar's exact test "
            "of correct or not: of related responses, of one tag or to one instance, the model counts "
            "that is correct on more of them. The test of all verdicts swaps the two models at random, "
            "on related responses together. Both are adjusted by Holm's method for all pairs on this "
            "page: below 0.05 a pair is told apart, else it is too close to call."
        ),
        empty=say(
            "No two models have final verdicts on the same instances and prompt yet. Once they have, "
            "their difference, its interval and tests appear here."
        ),
        breakdowns=list(BREAKDOWNS.items()),
    )


def _sentences(known: Sequence[Compared]) -> list[str]:
    """The number of pairs told apart, and the largest difference, with one template."""
    if not known:
        return []
    units: dict[PromptTemplate, int] = {}
    for each in known:
        if each.template:
            units[each.template] = units.get(each.template, 0) + each.found.units
    template = headline(units) if units else None
    own = [each for each in known if each.template == template]
    told = [each for each in own if each.is_told]
    where = (
        say("With prompt {label} ({name})", label=template.label, name=template.name)
        if template
        else say("Over all prompts together")
    )
    if not told:
        if len(own) == 1:
            return [say("{where}, the two models are too close to call.", where=where)]
        return [say("{where}, all pairs of models are too close to call.", where=where)]
    if len(told) < len(own):
        said = say_count(
            len(own),
            "{where}, {told} of {count:,} pair of models is told apart; the rest are too close to call.",
            "{where}, {told} of {count:,} pairs of models are told apart; the rest are too close to call.",
            where=where,
            told=len(told),
        )
    else:
        said = (
            say("{where}, all {count:,} pairs of models are told apart.", where=where, count=len(own))
            if len(own) > 1
            else say("{where}, the two models differ.", where=where)
        )
    most = max(told, key=lambda each: abs(each.found.difference.value or 0))
    first, second = most.ahead
    largest = say(", the largest difference") if len(told) > 1 else ""
    return [
        said,
        say(
            "{first} is correct more often than {second} by {most}{largest}.",
            first=first,
            second=second,
            most=_points_in_words(most),
            largest=largest,
        ),
    ]


def _points_in_words(each: Compared) -> str:
    value = abs(each.found.difference.value or 0)
    interval = each.found.difference.interval
    words = say("{value:f} percentage points", value=shown(value, as_percent=True))
    if isinstance(interval, Interval):
        low, high = (
            sorted((abs(interval.low), abs(interval.high)))
            if interval.low * interval.high > 0
            else (interval.low, interval.high)
        )
        ends = {"low": shown(low, as_percent=True), "high": shown(high, as_percent=True)}
        return joined([words, say("(95% interval {low:f} to {high:f})", **ends)])
    return words


def _notes(left_out: int, compared: Sequence[Compared]) -> list[Note]:
    notes = []
    if left_out:
        notes.append(
            Note(
                say_count(
                    left_out,
                    "{count:,} further model is left out: the {most} with the most final verdicts are compared.",
                    "{count:,} further models are left out: the {most} with the most final verdicts are compared.",
                    most=MOST_MODELS,
                )
            )
        )
    if lacking := [each for each in compared if each.why_not_all]:
        said = say_count(
            len(lacking),
            "In {count:,} comparison, not all instances of both models could be compared.",
            "In {count:,} comparisons, not all instances of both models could be compared.",
        )
        notes.append(Note(said, details=[_lacking(each) for each in lacking[:MOST_DETAILS]]))
    if any(each.found.difference.analytic is REPEATED for each in compared):
        notes.append(
            Note(say("A model answered some instances more than once: the share of its responses counts there."))
        )
    return notes


def _lacking(each: Compared) -> str:
    return say(
        "{heading}, {first} and {second}: {why}",
        heading=_heading(each.template),
        first=each.first,
        second=each.second,
        why=each.why_not_all,
    )


def _sections(scope: Scope, models: Sequence[LanguageModel], compared: Sequence[Compared]) -> list[Section]:
    sections = []
    reach = reach_of(compared)
    for template in dict.fromkeys(each.template for each in compared):
        own = [each for each in compared if each.template == template and each.found.units]
        if not own:
            continue
        heading = _heading(template)
        plots: list[Plot] = [matrix(heading, models, own), forest(own, reach)]
        sections.append(Section(heading, plots=plots, table=comparison_table(scope, heading, own)))
    return sections


def _heading(template: PromptTemplate | None) -> str:
    return (
        say("Prompt {label}: {name}", label=template.label, name=template.name)
        if template
        else say("All prompts together")
    )
