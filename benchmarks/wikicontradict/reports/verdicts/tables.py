"""Tables 2 and 3: from a scope to a report."""

from collections.abc import Callable

from core.languages import say
from review.reports.layout import Report, Section
from review.reports.scope import Scope

from .layout import ABOUT, EMPTY, lay_out
from .numbers import numbers_of
from .plot import plots_of
from .query import read

TABLE_3 = ("5.1", "5.2", "5.3", "5.4")


def table_2(scope: Scope) -> Report:
    """Final verdicts by model and template; the variants of template 5 are in Table 3."""
    return _report(scope, say("Final verdicts by model and prompt"), "table2", lambda code: code not in TABLE_3)


def table_3(scope: Scope) -> Report:
    return _report(scope, say("Final verdicts for the variants of prompt 5"), "table3", lambda code: code in TABLE_3)


def _report(scope: Scope, title: str, name: str, belongs: Callable[[str], bool]) -> Report:
    found = read(scope, belongs)
    numbers = numbers_of(found)
    laid_out = lay_out(scope, numbers, title)
    return Report(
        title=title,
        lead=laid_out.lead,
        sections=[Section("", plots=plots_of(numbers.models, laid_out), table=laid_out.table)],
        data={name: laid_out.data, **laid_out.more_data, "set_aside": found.reasons_set_aside},
        records=laid_out.records,
        notes=[*laid_out.notes, *found.notes],
        about=ABOUT,
        empty=EMPTY,
    )
