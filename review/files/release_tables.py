"""Tables of a release: final verdicts and their judgments. Only of finished rounds."""

from collections.abc import Callable, Iterator
from typing import Any

from annotation.models import Release
from annotation.releases.files.tables import Column, Kind, Table
from judging.files.release_tables import ASKED, REPETITION, typed
from judging.runs.blinding import public_responses

from ..models import FinalVerdict, Judgment
from .judgment_exports import final_verdict_rows, judgment_rows

_ABOUT = (
    *ASKED,
    REPETITION,
    Column("round", "the judging round; empty if the verdict was imported"),
)
_SET_ASIDE = Column("set_aside", "whether the instance was found to be ambiguous", Kind.YES_NO)
_FINAL_VERDICTS = (
    *_ABOUT,
    Column("verdict", "correct, partially_correct or incorrect"),
    Column("how", "agreed, majority, adjudicated or imported"),
    Column("reason", "the adjudicator's reason"),
    Column("adjudicator", "a pseudonym"),
    Column("times_reopened", "how often the adjudication was reopened", Kind.WHOLE_NUMBER),
    Column("settled_at", "when the verdict became final", Kind.TIME),
    _SET_ASIDE,
)
_JUDGMENTS = (
    *_ABOUT,
    Column("number", "the judgment's number among those of the response", Kind.WHOLE_NUMBER),
    Column("reviewer", "a pseudonym, the same throughout this release"),
    Column("verdict", "correct, partially_correct or incorrect; empty if the person could not judge"),
    Column("cannot_judge", "the reason why the person could not judge"),
    Column("comment", "the person's comment"),
    Column("seconds", "how long the page was open, in seconds", Kind.WHOLE_NUMBER),
    Column("judged_at", "time of the judgment", Kind.TIME),
    _SET_ASIDE,
)


def _rows(
    rows: Callable[..., Iterator[dict[str, Any]]], columns: tuple[Column, ...]
) -> Callable[[Release], Iterator[dict[str, object]]]:
    return lambda release: (typed(row, columns) for row in rows(published=release))


def _responses(release: Release):
    return public_responses(release).order_by().values("pk")


FINAL_VERDICTS = Table(
    "final_verdicts",
    "People's final verdicts on these responses.",
    _FINAL_VERDICTS,
    _rows(final_verdict_rows, _FINAL_VERDICTS),
    lambda release: FinalVerdict.objects.filter(response__in=_responses(release)).count(),
)
JUDGMENTS = Table(
    "judgments",
    "The judgments behind them, each by one person, independently of the others.",
    _JUDGMENTS,
    _rows(judgment_rows, _JUDGMENTS),
    lambda release: (
        Judgment.objects.shown().ordinary().fixed().filter(item__response__in=_responses(release)).count()
    ),
)
TABLES = (FINAL_VERDICTS, JUDGMENTS)
