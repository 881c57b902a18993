"""The list of reports: a headline and a thumbnail for each, loaded when it comes into view."""

import re

import pytest
from django.core.cache import cache
from django.urls import reverse

from benchmarks.wikicontradict.items import CODE
from core.models import Role, User
from review.models import Round
from review.reports.drawing import plots
from review.reports.drawing.thumbnails import thumbnail
from review.reports.headlines import coefficient, share, spread
from review.reports.layout import Report
from review.reports.registry import all_reports
from review.statistics.estimates import Undefined
from tests.conftest import make_person
from tests.factories.review import give_all, make_imported_run, make_round

pytestmark = pytest.mark.django_db

C, IC = "correct", "incorrect"


@pytest.fixture
def judged(db) -> Round:
    cache.clear()
    reviewers = [make_person("rita", Role.REVIEWER), make_person("ralph", Role.REVIEWER)]
    round = make_round(make_person("root", Role.ADMIN), reviewers, make_imported_run(6, codes=["5"]))
    for number, item in enumerate(round.items.order_by("pk")):
        give_all(item, C, C if number % 3 else IC)
    return round


def made(*records) -> Report:
    return Report("A report", ["A sentence."], [], {}, list(records))


def plain(words: str) -> str:
    """The words with n as headlines have it: its spaces do not break."""
    figure, _, n = words.rpartition("· ")
    return f"{figure}· {n}".replace(n, n.replace(" ", "\N{NO-BREAK SPACE}"))


def glance(client, name: str) -> str:
    return client.get(reverse("report_glance", args=[name])).content.decode()


def test_the_list_asks_for_each_headline_when_it_comes_into_view(amir):
    page = amir.get(reverse("reports")).content.decode()
    for name in all_reports():
        assert f'hx-get="{reverse("report_glance", args=[name])}"' in page
    assert page.count('hx-trigger="intersect once"') == len(all_reports())


@pytest.mark.parametrize("name", sorted(all_reports()))
def test_a_report_without_data_says_how_to_get_it(amir, name):
    cache.clear()
    said = glance(amir, name)
    assert "No data yet." in said or "glance-figure" in said
    assert "The report says how" not in said or all_reports()[name].benchmark != CODE


def test_a_report_shows_its_figure_its_n_and_a_picture(amir, judged):
    said = glance(amir, "agreement")
    assert re.search(r"kappa -?\d\.\d\d · n\s=\s\d+", said)
    assert '<svg class="thumbnail"' in said


def test_a_figure_is_kept_for_some_minutes(amir, judged, django_assert_max_num_queries):
    first = glance(amir, "agreement")
    with django_assert_max_num_queries(20):
        assert glance(amir, "agreement") == first


def test_one_who_judges_gets_no_headline_that_tells_models_apart(amir, judged):
    page = amir.get(reverse("reports")).content.decode()
    assert "Closed while you judge" not in page
    judging = make_person("rolf", Role.ADMIN, Role.REVIEWER)
    other = make_person("ruth", Role.REVIEWER)
    make_round(judging, [judging, other], make_imported_run(2, codes=["5"]))
    amir.force_login(judging)
    page = amir.get(reverse("reports")).content.decode()
    assert "Closed while you judge" in page
    assert reverse("report_glance", args=["table2"]) not in page
    assert reverse("report_glance", args=["table1"]) in page
    assert amir.get(reverse("report_glance", args=["table2"])).status_code == 403


def test_a_coefficient_that_is_not_defined_is_left_out():
    nothing = Undefined("no response has two verdicts")
    assert coefficient("kappa", "kappa")(made({"kappa": nothing, "n": 0})) == ""
    assert coefficient("kappa", "kappa")(made({"kappa": 0.714, "n": 1200})) == plain("kappa 0.71 · n = 1,200")


def test_a_share_of_fewer_than_five_is_a_count():
    assert share("alike", "same")(made({"same": 3, "n": 4})) == "3 of 4 alike"
    assert share("alike", "same")(made({"same": 3, "n": 4}, {"same": 1, "n": 4})) == plain("50.0% alike · n = 8")
    assert share("alike", "same")(made({"same": 0, "n": 0})) == ""


def test_a_spread_is_that_of_the_models_at_the_first_prompt():
    rows = [
        {"template": "1", "model": "a", "instances": "all", "right": 10, "n": 50},
        {"template": "5", "model": "a", "instances": "all", "right": 20, "n": 60},
        {"template": "5", "model": "b", "instances": "all", "right": 41.7, "n": 70},
        {"template": "5", "model": "b", "instances": "exp", "right": 90, "n": 70},
    ]
    assert spread("right", "right")(made(*rows)) == plain("20.0 to 41.7% right · 2 models · n 60 to 70")


def test_each_kind_of_plot_has_a_thumbnail():
    share_of = plots.Share("correct", 3)
    drawn = [
        plots.Bars("Bars", [plots.bar("A", [share_of])]),
        plots.intervals("Intervals", [("", "A", [plots.Point(0.5, 0.2, 0.8)], "n 3")], ticks=plots.SHARES),
        plots.Grid("Grid", ["a"], [("A", [plots.GridField("1", 10)])]),
        plots.heat_map("Map", [[1, 0], [0, 2]], [C, IC], rows_are="A", columns_are="B", labels={C: C, IC: IC}),
        plots.amounts("Amounts", [("A", 3, "3")]),
    ]
    for plot in drawn:
        assert re.search("<(rect|circle)", thumbnail(plot))


def test_a_kept_headline_is_kept_by_language(amir, judged):
    admin = User.objects.get(username="amir")
    first = glance(amir, "weeks")
    User.objects.filter(pk=admin.pk).update(language="de")
    assert "mit demselben Urteil" in glance(amir, "weeks")
    User.objects.filter(pk=admin.pk).update(language="")
    assert glance(amir, "weeks") == first
