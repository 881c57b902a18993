"""Headlines of reports for the list of reports: one figure with its n, read from the report's own records.

Each function here returns the `headline` of an entry in that list. A number that is not defined is left out, never
taken as 0. Without any, the headline is empty.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from core.languages import figure, joined, number, say, say_count
from judging.protocol.tasks import first_reported

from ..statistics.rounding import half_up, percent
from ..statistics.shares import FEWEST_IN_PERCENT
from .layout import Report, Value

Record = Mapping[str, Value]
MakeHeadline = Callable[[Report], str]
SEPARATOR = " · "


def coefficient(words: str, *names: str, n: str = "n") -> MakeHeadline:
    """The first of these numbers that the first record has: "kappa 0.71 · n = 120"."""

    def headline(report: Report) -> str:
        record = report.records[0]
        known = [number for name in names if (number := _number(record.get(name))) is not None]
        if not known:
            return ""
        shown = joined([words, figure(str(half_up(known[0], 2)))])
        return joined([shown, _n_of([_whole(record[n])])], SEPARATOR)

    return headline


def share(words: str, part: str, *, n: str = "n") -> MakeHeadline:
    """The sum of `part` in the sum of `n` over all records: "75.6% alike · n = 78", "3 of 4 alike"."""

    def headline(report: Report) -> str:
        whole, found = (sum(_whole(record[name]) for record in report.records) for name in (n, part))
        if whole < FEWEST_IN_PERCENT:
            return say("{found} of {whole} {words}", found=found, whole=whole, words=words) if whole else ""
        said = say("{percent:f}% {words}", percent=percent(found, whole), words=words)
        return joined([said, _n_of([whole])], SEPARATOR)

    return headline


def spread(words: str, name: str, *, n: str = "n", of: str = "", times: int = 1) -> MakeHeadline:
    """The lowest and the highest number of all models in percent, and their n: "41.7 to 58.3% right · 2 models ·
    n = 12". Of a table by prompt, those of the prompt that reports mention first.

    Args:
        of: the column by which the number is divided, if it is a count.
        times: 100 for a share.
    """

    def headline(report: Report) -> str:
        known = [record for record in _of_first_prompt(report.records) if _number(record.get(name)) is not None]
        known = [record for record in known if not of or _whole(record[of])]
        if not known:
            return ""
        values = sorted(_in_percent(record, name, of, times) for record in known)
        low, high = values[0], values[-1]
        reach = figure(str(low)) if low == high else say("{low:f} to {high:f}", low=low, high=high)
        models = len({record.get("model", record.get("judge")) for record in known})
        parts = [
            say("{percent}% {words}", percent=reach, words=words),
            say_count(models, "{count:,} model", "{count:,} models"),
            _n_of([_whole(record[n]) for record in known]),
        ]
        return joined(parts, SEPARATOR)

    return headline


def told(name: str, value: str) -> MakeHeadline:
    """The number of comparisons that have this value: "3 of 9 comparisons told apart"."""

    def headline(report: Report) -> str:
        found = [record for record in report.records if record.get(name) == value]
        if not report.records:
            return ""
        return say_count(
            len(report.records),
            "{found} of {count:,} comparison told apart",
            "{found} of {count:,} comparisons told apart",
            found=len(found),
        )

    return headline


def total(*counted: tuple[str, str, str]) -> MakeHeadline:
    """Sums over all records, each with its words for one and for more: "4 accepted · 1 draft"."""

    def headline(report: Report) -> str:
        sums = [sum(_whole(record.get(name)) for record in report.records) for name, *_ in counted]
        return joined([_counted(of, one, more) for of, (_, one, more) in zip(sums, counted, strict=True)], SEPARATOR)

    return headline


def listed(name: str, value: str, *rows: tuple[str, str, str]) -> MakeHeadline:
    """Values of the records that these names in the column `name` stand for: "6 instances · 4 tags"."""

    def headline(report: Report) -> str:
        found = {record[name]: _whole(record[value]) for record in report.records}
        return joined([_counted(found[row], one, more) for row, one, more in rows if row in found], SEPARATOR)

    return headline


def _of_first_prompt(records: Sequence[Record]) -> Sequence[Record]:
    whole = [record for record in records if record.get("instances", "all") == "all"]
    return [record for record in whole if record.get("template") in first_reported()] or whole


def _in_percent(record: Record, name: str, of: str, times: int) -> Decimal:
    number = _number(record[name]) or 0
    return half_up(100 * number / _whole(record[of]) if of else times * number, 1)


def _n_of(numbers: Sequence[int]) -> str:
    """The n behind several numbers; its spaces do not break."""
    if min(numbers) == max(numbers):
        return say("n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{count:,}", count=max(numbers))
    return say(
        "n\N{NO-BREAK SPACE}{low:,}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{high:,}",
        low=min(numbers),
        high=max(numbers),
    )


def _counted(of: int, one: str, more: str) -> str:
    return joined([number(of), one if of == 1 else more])


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float | Decimal) else None


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
