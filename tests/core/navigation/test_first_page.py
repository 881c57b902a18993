"""The first page: what to do next for each role, and how the whole stands."""

import re
from datetime import date, timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.first_page import WEEKS_SHOWN, calendar
from annotation.kinds.registry import benchmarks
from annotation.models import Annotation, AnnotationState, Assignment
from core.engine import counted as kept
from tests.annotation.desk_helpers import claim
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db


def page(client, address: str = "/") -> str:
    answer = client.get(address, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", answer.content.decode())


def stages(client) -> dict[str, tuple[str, str]]:
    """Of each stage what is done, and what waits."""
    shown = re.findall(
        r"<li> <a href=\"[^\"]+\">(\w+)</a> <strong>([\d,]+)</strong>.*?</progress> <small>(.*?)</small>",
        page(client, "/overview/"),
    )
    return {label: (done, re.sub("<[^>]+>", "", waits)) for label, done, waits in shown}


def test_an_annotator_is_offered_the_next_tag_then_the_one_at_hand(sign_in, annotator):
    client = sign_in(annotator)
    assert "There is no tag for you right now" in page(client)
    TagFactory(article__title="Lighthouse of Orme")
    assert "1 tag is waiting for you" in page(client)
    held = claim(annotator)
    assert f'href="/annotation/desk/{held.pk}/"> ' not in page(client)
    assert "Lighthouse of Orme" in page(client)
    assert f'href="/annotation/desk/{held.pk}/"' in page(client)


def test_what_was_returned_comes_with_its_message_first(sign_in, annotator):
    for number in range(30):
        AnnotationFactory(
            annotator=annotator, state=AnnotationState.RETURNED, review_message=f"Mend <b>{number}</b>."
        )
    shown = page(sign_in(annotator))
    assert shown.count("Mend &lt;b&gt;") == 5
    assert "All returned annotations" in shown


def test_the_calendar_ends_today_and_begins_on_a_monday():
    today = date(2026, 11, 18)  # a Wednesday
    rows = calendar({today: 4, today - timedelta(days=7): 1}, today=today)
    assert [len(row) for row in rows] == [WEEKS_SHOWN] * 3 + [WEEKS_SHOWN - 1] * 4
    assert rows[0][0].day.weekday() == 0
    assert [(day.count, day.level) for day in rows[2][-2:]] == [(1, 1), (4, 4)]


def test_own_work_counts_what_was_submitted_today(sign_in, annotator, other_annotator):
    now = timezone.now()
    for person, at in ((annotator, now), (annotator, now - timedelta(days=400)), (other_annotator, now)):
        AnnotationFactory(annotator=person, state=AnnotationState.SUBMITTED, submitted_at=at)
    shown = re.sub("<[^>]+>", "", page(sign_in(annotator), "/overview/"))
    assert "1 submitted today, 0 min · 2 in total, 0 min" in shown


def test_an_admin_sees_each_stage_with_what_waits_and_fails(sign_in, admin, annotator):
    client = sign_in(admin)
    TagFactory(flagged_at=timezone.now(), flagged_by=annotator, flag_reason="Odd.")
    TagFactory()
    AnnotationFactory(annotator=annotator, state=AnnotationState.SUBMITTED, submitted_at=timezone.now())
    assert stages(client) == {
        "Harvested": ("3", "nothing waiting"),
        "Annotated": ("1", f"{Assignment.objects.unfinished().count()} to write"),
        "Reviewed": ("0", "1 to review: review the next"),
        "Released": ("0", "nothing waiting"),
        "Answered": ("0", "nothing waiting"),
        "Judged": ("0", "nothing waiting"),
        "Adjudicated": ("0", "nothing waiting"),
    }
    assert '?state=flagged">1 flagged tag<' in page(client, "/overview/")


def test_an_admin_who_judges_in_a_round_sees_nothing_of_it(sign_in, admin, reviewer, other_reviewer):
    judging_admin = make_person("both", "admin", "reviewer")
    round = make_round(admin, [judging_admin, reviewer], make_imported_run(2), training_required=False)
    before = stages(sign_in(judging_admin))
    assert stages(sign_in(admin))["Judged"][1] == f"{round.judgments.open().count()} to give"
    give_all(round.items.first(), "correct", "incorrect")
    assert stages(sign_in(admin))["Judged"][0] == "2"
    assert stages(sign_in(judging_admin)) == before


def test_an_admin_who_annotates_a_tag_sees_nothing_of_what_others_do_with_it(sign_in, admin, annotator):
    both = make_person("both", "admin", "annotator")
    tag = TagFactory()
    AnnotationFactory(tag=tag, annotator=both, state=AnnotationState.SUBMITTED, submitted_at=timezone.now())
    others = AnnotationFactory(tag=tag, annotator=annotator, state=AnnotationState.DRAFT)
    client = sign_in(both)
    before = page(client, "/overview/"), page(client)
    Annotation.objects.filter(pk=others.pk).update(state=AnnotationState.SUBMITTED, submitted_at=timezone.now())
    assert (page(client, "/overview/"), page(client)) == before
    assert stages(sign_in(admin))["Reviewed"] == ("0", "2 to review: review the next")


def test_what_takes_long_to_count_is_counted_less_often(monkeypatch):
    monkeypatch.setattr(kept, "_kept", {})
    monkeypatch.setattr(kept, "LONG", 0.2)
    now, counted = [100.0], []
    monkeypatch.setattr(kept.time, "monotonic", lambda: now[0])

    def count(seconds: float) -> int:
        now[0] += seconds
        counted.append(seconds)
        return len(counted)

    assert [kept.counted("a", lambda: count(0.01)) for _ in range(2)] == [1, 2]
    assert [kept.counted("a", lambda: count(1)) for _ in range(2)] == [3, 3]
    assert kept.counted("b", lambda: count(1)) == 4
    now[0] += 20
    assert kept.counted("a", lambda: count(1)) == 5
    # Of all there is: 0.01 s are kept for 5 s, and 0.005 s are not.
    assert [kept.counted("c", lambda: count(0.005), of_all=True) for _ in range(2)] == [6, 7]
    assert [kept.counted("c", lambda: count(0.01), of_all=True) for _ in range(2)] == [8, 8]
    now[0] += 6
    assert kept.counted("c", lambda: count(0.01), of_all=True) == 9


def test_an_admin_reads_what_each_benchmark_is_and_where_its_work_begins(sign_in, admin):
    page = sign_in(admin).get(reverse("overview")).text
    for each in benchmarks():
        if each.begins:
            assert f'<a href="{reverse(each.begins)}">{each.name}</a>' in page
            assert each.summary in unescape(page)
    assert reverse("import_release", args=["contradoc"]) in page


def test_without_script_the_overview_is_a_page(sign_in, admin):
    answer = sign_in(admin).get("/overview/")
    assert b"<h1>Project overview</h1>" in answer.content
    assert b'href="/overview/"' in sign_in(admin).get("/").content


def test_whoever_has_no_role_is_told_what_to_do(sign_in, stranger):
    assert "has no role yet" in page(sign_in(stranger))
    assert b'hx-get="/overview/"' not in sign_in(stranger).get("/").content
