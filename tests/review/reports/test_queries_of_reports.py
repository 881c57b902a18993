"""A report asks the database first, for all that it needs: then it computes, lays out and draws."""

import sys
from types import FrameType
from typing import Any

import pytest
from django.db import connection

from review.reports.registry import all_reports, make_report
from review.reports.scope import Scope
from tests.factories.judging import make_instance
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db

LAID_OUT_BY = ("review.reports.layout", "review.reports.drawing.plots")


@pytest.fixture
def judged(admin, reviewer, other_reviewer):
    """Responses of two models that two people judged, with one that is open and one that is adjudicated."""
    make_instance(1)
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(4))
    first, second, *others, _ = round.items.order_by("pk")
    give_all(first, "correct", "incorrect")
    give_all(second, "correct", "correct")
    for item in others:
        give_all(item, "partially_correct", "partially_correct")
    return round


@pytest.mark.parametrize("name", sorted(all_reports()))
def test_no_report_asks_once_it_lays_out(name, judged):
    make_report(name, Scope())  # imports it
    late: list[str] = []
    laid_out: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_globals.get("__name__") in LAID_OUT_BY:
            laid_out.append(frame.f_code.co_name)

    def asked(execute: Any, sql: str, *arguments: Any) -> Any:
        if laid_out:
            late.append(sql)
        return execute(sql, *arguments)

    with connection.execute_wrapper(asked):
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            make_report(name, Scope())
        finally:
            sys.setprofile(before)
    assert not late
