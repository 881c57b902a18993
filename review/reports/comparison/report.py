"""Model against model: every pair over the instances that both answered, by template and over all templates."""

from collections.abc import Sequence

from core.words import plural
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

BREAKDOWNS = {"template": "By prompt", "pooled": "All prompts together"}
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
        title="Model against model",
        lead=_sentences(known),
        sections=[part for each in compared.values() for part in _sections(scope, models, each)],
        data={"comparison": {name: data_of(each) for name, each in compared.items()}},
        records=[record_of(each) for of in compared.values() for each in of],
        notes=[*_notes(left_out, shown_first), *of_scope],
        about="Each pair of models over the instances that both answered. The difference is in percentage points of "
        "correct responses, with its 95% interval. p is McNemar's exact test of correct or not: of related "
        "responses, of one tag or to one instance, the model counts that is correct on more of them. The test of all "
        "verdicts swaps the two models at random, on related responses together. Both are adjusted by Holm's "
        "method for all pairs on this page: below 0.05 a pair is told apart, else it is too close to call.",
        empty="No two models have final verdicts on the same instances and prompt yet. Once they have, "
        "their difference, its interval and tests appear here.",
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
    where = f"With prompt {template.label} ({template.name})" if template else "Over all prompts together"
    count = plural(len(own), "pair of models is", "pairs of models are")
    if not told:
        return [f"{where}, {'the two models' if len(own) == 1 else 'all pairs of models'} are too close to call."]
    if len(told) < len(own):
        said = f"{where}, {len(told)} of {count} told apart; the rest are too close to call."
    else:
        said = f"{where}, all {count} told apart." if len(own) > 1 else f"{where}, the two models differ."
    most = max(told, key=lambda each: abs(each.found.difference.value or 0))
    first, second = most.ahead
    largest = ", the largest difference" if len(told) > 1 else ""
    return [said, f"{first} is correct more often than {second} by {_points_in_words(most)}{largest}."]


def _points_in_words(each: Compared) -> str:
    value = abs(each.found.difference.value or 0)
    interval = each.found.difference.interval
    words = f"{shown(value, as_percent=True)} percentage points"
    if isinstance(interval, Interval):
        low, high = (
            sorted((abs(interval.low), abs(interval.high)))
            if interval.low * interval.high > 0
            else (interval.low, interval.high)
        )
        words += f" (95% interval {shown(low, as_percent=True)} to {shown(high, as_percent=True)})"
    return words


def _notes(left_out: int, compared: Sequence[Compared]) -> list[Note]:
    notes = []
    if left_out:
        words = plural(left_out, "further model is", "further models are")
        notes.append(Note(f"{words} left out: the {MOST_MODELS} with the most final verdicts are compared."))
    if lacking := [each for each in compared if each.why_not_all]:
        said = f"In {plural(len(lacking), 'comparison')}, not all instances of both models could be compared."
        notes.append(Note(said, details=[_lacking(each) for each in lacking[:MOST_DETAILS]]))
    if any(each.found.difference.analytic is REPEATED for each in compared):
        notes.append(Note("A model answered some instances more than once: the share of its responses counts there."))
    return notes


def _lacking(each: Compared) -> str:
    return f"{_heading(each.template)}, {each.first} and {each.second}: {each.why_not_all}"


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
    return f"Prompt {template.label}: {template.name}" if template else "All prompts together"
