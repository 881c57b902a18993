"""The pages of the reports: what they say, where their numbers lead, and what they hide from whom."""

import io
import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.releases.freezing import create_release
from benchmarks.wikicontradict.items import CODE
from core.models import Role, User
from judging.models import LanguageModel, Mark, Response
from review.models import Adjudication, Round
from review.reports.formats import FORMATS
from review.reports.layout import Report
from review.reports.links import ResponseFilter
from review.reports.registry import all_reports
from review.reports.scope import Scope
from review.rounds.setting_aside import set_aside
from tests.conftest import make_person
from tests.factories import AnnotationFactory
from tests.factories.judge_models import say
from tests.factories.judging import make_instance
from tests.factories.review import give_all, make_imported_run, make_response, make_round
from tests.wikicontradict.evaluation import evaluation_file, record

pytestmark = pytest.mark.django_db

C, P, IC = "correct", "partially_correct", "incorrect"
# The consensus of three and more has a world of its own, test_consensus_report.py, and suggested counterparts have
# theirs, test_help.py.
REPORTS = {name: each for name, each in all_reports().items() if each.benchmark == CODE}
OF_TWO = [name for name in REPORTS if name not in ("consensus", "help")]
OF_VERDICTS = [name for name in OF_TWO if name not in ("table1", "cost", "annotators", "annotator-agreement")]


@pytest.fixture(scope="module")
def world(module_transaction, tmp_path_factory) -> Round:
    """A bit of everything: an imported evaluation, a round with disagreements, a judge model, an instance set aside,
    a cut response, templates with two verdicts and three, all kinds of conflicts."""
    admin = make_person("amir", Role.ADMIN)
    reviewers = [make_person("rita", Role.REVIEWER), make_person("ralph", Role.REVIEWER)]
    evaluation = evaluation_file(tmp_path_factory.mktemp("evaluation"), record())
    call_command("import_human_evaluation", str(evaluation), stdout=io.StringIO())
    AnnotationFactory()
    run = make_imported_run(3, codes=["2", "5", "5.1"])
    kinds: list[dict[str, Any]] = [{"reasoning_type": "IMP"}, {"reasoning_type": ""}, {"same_passage": True}]
    for number, values in enumerate(kinds, 11):
        instance = make_instance(number, **values)
        for code in ("2", "5"):
            make_response(run, instance, code=code)
    Response.objects.filter(pk=run.responses.latest("pk").pk).update(mark=Mark.CUT)
    round = make_round(admin, reviewers, run, training_required=False)
    pairs = [(C, C), (C, IC), (IC, IC), (C, ""), (C, C), (IC, C)]
    for number, item in enumerate(round.items.order_by("pk")):
        if number % 7 != 6:
            give_all(item, *pairs[number % len(pairs)])
    for number, response in enumerate(Response.objects.order_by("pk")):
        offered = response.template.verdicts
        say(response, "" if number % 8 == 7 else offered[number % len(offered)])
    set_aside(instance=Response.objects.filter(run=run)[0].instance, person=admin, reason="Two bridges of one name")
    return round


@pytest.fixture
def filled(world, db) -> Round:
    return Round.objects.get(pk=world.pk)


@pytest.fixture
def admin(world, db) -> User:
    return User.objects.get(username="amir")


@pytest.fixture
def reviewer(world, db) -> User:
    return User.objects.get(username="rita")


@pytest.fixture
def other_reviewer(world, db) -> User:
    return User.objects.get(username="ralph")


def page(client, name: str, **query) -> str:
    response = client.get(reverse("report", args=[name]), query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture(scope="module")
def made(world) -> Callable[[str], Report]:
    """`made(name)` gives a report on all that there is, made once."""
    return cache(lambda name: REPORTS[name].make(Scope()))


def lists_behind(report: Report) -> Iterator[tuple[int, str, str]]:
    """(count, address, where), each list once: plots lead where tables lead."""
    seen = set()
    for count, href, where in links(report):
        if (count, href) not in seen:
            seen.add((count, href))
            yield count, href, where


def links(report: Report) -> list[tuple[int, str, str]]:
    """(count, address, where) of everything in a report that leads to a list."""
    found = []
    for section in report.sections:
        for line in section.table.lines if section.table else []:
            for column, _, cell in line:
                where = f"{section.heading} {column.group} {column.name} of {line[0][2].value}"
                said = re.match(r"(?:people gave it to )?([\d,]+) of ", cell.title)
                if cell.href and isinstance(cell.value, int):
                    found.append((cell.value, cell.href, where))
                elif cell.href and said and not cell.title.startswith("people"):
                    found.append((int(said[1]), cell.href, where))
        for plot in section.plots:
            for _, fields, _ in getattr(plot, "lines", []) if hasattr(plot, "kinds") else []:
                found += [(field.count, field.href, f"{plot.name}: {field.title}") for field in fields if field.href]
            for bar in getattr(plot, "bars", []):
                for segment in bar.segments:
                    count = re.search(r"([\d,]+) of ", segment.title)
                    assert count
                    found.append((int(count[1]), segment.href, segment.title))
    return found


@pytest.mark.parametrize("name", OF_VERDICTS)
def test_every_number_leads_to_as_many_responses(name, made, filled, admin, sign_in):
    leads = list(lists_behind(made(name)))
    assert len(leads) > (0 if name == "weeks" else 3)
    for count, href, where in leads:
        query = {key: values[0] for key, values in parse_qs(urlsplit(href).query).items()}
        assert ResponseFilter.of(query).responses().count() == count, where
    client = sign_in(admin)
    for count, href, _ in leads[:5]:
        assert f"<h1>{count} response" in client.get(href).content.decode()


def test_costs_lead_to_the_replies_and_to_the_calls_in_doubt(filled, admin, sign_in):
    client, found = sign_in(admin), 0
    for section in REPORTS["cost"].make(Scope()).sections:
        for line in section.table.lines:
            for _, _, cell in line:
                if cell.href:
                    assert client.get(cell.href).status_code == 200
                    found += 1
    assert found


@pytest.mark.parametrize("release", [False, True])
def test_the_counts_of_table_1_lead_to_the_tags_or_the_release(release, filled, admin, sign_in):
    scope = Scope(release=create_release(name="First", admin=admin)) if release else Scope()
    lines = REPORTS["table1"].make(scope).sections[0].table.lines
    hrefs = {cell.href for line in lines for _, _, cell in line[1:]}
    assert hrefs == {"/annotation/releases/1/" if release else "/annotation/tags/?state=accepted"}
    assert sign_in(admin).get(hrefs.pop()).status_code == 200


@pytest.mark.parametrize("name", OF_VERDICTS)
def test_every_number_of_a_table_leads_somewhere(name, made, filled):
    """But for intervals, which stand beside their number, and counts of instances and strata."""
    for section in made(name).sections:
        for line in section.table.lines if section.table else []:
            for column, _, cell in line:
                if isinstance(cell.value, int | Decimal) and column.name not in ("Instances", "Strata"):
                    assert cell.href, f"{section.heading}: {column.group} {column.name} of {line[0][2].value}"


@pytest.mark.parametrize("name", OF_VERDICTS)
def test_a_number_of_one_round_leads_to_responses_of_that_round(name, filled):
    for count, href, where in lists_behind(REPORTS[name].make(Scope(round=filled))):
        query = {key: values[0] for key, values in parse_qs(urlsplit(href).query).items()}
        assert query["round"] == str(filled.pk)
        assert ResponseFilter.of(query).responses().count() == count, where


@pytest.mark.parametrize("name", OF_TWO)
def test_a_page_says_a_sentence_and_has_plot_table_and_files(name, filled, admin, annotator, sign_in):
    AnnotationFactory(annotator=annotator)
    client = sign_in(admin)
    shown = page(client, name)
    if name == "cost":
        assert "nothing was paid" in shown
    assert 'class="lead"' in shown
    assert "<table" in shown
    for kind in FORMATS:
        response = client.get(reverse("report_download", args=[name, kind]))
        assert response.status_code == 200
        assert "attachment" in response["Content-Disposition"]
        assert response["X-Content-Type-Options"] == "nosniff"
    json.loads(client.get(reverse("report_download", args=[name, "json"])).content)


def test_the_list_of_reports_has_all_of_them(admin, sign_in):
    shown = sign_in(admin).get(reverse("reports")).content.decode()
    for entry in REPORTS.values():
        assert entry.label in shown
    assert "/review/reports/" in sign_in(admin).get("/").content.decode()


@pytest.mark.parametrize("by", ["template", "model", "reviewers", "reasoning", "nonsense"])
def test_agreement_is_shown_by_one_thing_at_a_time(by, filled, admin, sign_in):
    shown = page(sign_in(admin), "agreement", by=by)
    assert shown.count("<h2>By ") == 1
    assert "heat-map" in shown


def test_a_page_is_narrowed_by_the_chips_in_its_address(filled, admin, sign_in):
    client = sign_in(admin)
    whole, part = page(client, "table2"), page(client, "table2", round=filled.pk)
    assert "mist" in whole
    assert "mist" not in re.sub("Mist", "", part)
    assert f'href="?round={filled.pk}" aria-current="true"' in part
    for number in ("999", "x", "-1", "9" * 30):
        assert client.get(reverse("report", args=["table2"]), {"run": number}).status_code == 404


@pytest.mark.parametrize(
    "query", [{"verdict": "right"}, {"template": "x"}, {"subset": "all"}, {"round": "77"}, {"model": "x" * 300}]
)
def test_a_filter_that_cannot_be_read_is_refused(query, admin, sign_in):
    assert sign_in(admin).get(reverse("report_responses"), query).status_code == 404


def test_a_report_that_is_not_there_is_not_found(admin, sign_in):
    client = sign_in(admin)
    assert client.get(reverse("report", args=["table9"])).status_code == 404
    assert client.get(reverse("report_download", args=["table9", "json"])).status_code == 404
    assert client.get(reverse("report_download", args=["table2", "xls"])).status_code == 404


def test_what_is_left_out_is_said_on_the_page(filled, admin, sign_in):
    for name in OF_VERDICTS:
        shown = page(sign_in(admin), name)
        assert "1 instance is set aside" in shown
        assert "Two bridges of one name" in shown
    shown = page(sign_in(admin), "table2")
    assert re.search(r"responses have no final verdict, of \d+; excluded from all percentages", shown)


def test_a_response_in_the_list_shows_what_everybody_said(filled, admin, sign_in):
    adjudication = Adjudication.objects.exclude(cause="cannot_judge").first()
    assert adjudication
    shown = sign_in(admin).get(reverse("report_responses"), {"verdict": "none", "pairs": "both"}).content.decode()
    assert "rita: " in shown
    assert "ralph: " in shown
    assert "Judge: " in shown
    assert str(reverse("response", args=[adjudication.item.response.key])) in shown


def test_names_are_text_and_no_style_or_script_is_inline(filled, admin, sign_in):
    LanguageModel.objects.filter(name="Mist").update(name="<script>alert(1)</script>")
    for name in REPORTS:
        shown = page(sign_in(admin), name)
        assert "<script>alert" not in shown
        assert not re.search(r"\sstyle=|\son\w+=|<style", shown)
    assert "<script>alert(1)</script>" in unescape(page(sign_in(admin), "table2"))


@pytest.mark.parametrize("name", ["table2", "table4", "table5", "table6", "agreement"])
def test_the_database_counts_whatever_there_is(name, filled, admin, reviewer, other_reviewer):
    """As many queries, and as long, for a few responses as for many."""
    with CaptureQueriesContext(connection) as few:
        REPORTS[name].make(Scope())
    run = make_imported_run(5, codes=["2", "5", "5.1"], name="more")
    round = make_round(admin, [reviewer, other_reviewer], run, training_required=False)
    for item in round.items.all():
        give_all(item, C, C)
    with CaptureQueriesContext(connection) as more:
        REPORTS[name].make(Scope())
    assert len(more) == len(few)
    assert sum(len(query["sql"]) for query in more) < 1.1 * sum(len(query["sql"]) for query in few)
