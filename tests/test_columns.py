"""Wide lists: which columns are shown stands in the address, and a saved view keeps it."""

import re

import pytest
from django.http import QueryDict

from annotation.views import tags
from core.lists.columns import Columns
from core.models import SavedView
from core.views import people
from judging.models import Run
from judging.views import responses, runs
from tests.factories import TagFactory
from tests.factories.review import make_imported_run

LISTS = {
    "/annotation/tags/": tags.COLUMNS,
    "/judging/runs/": runs.COLUMNS,
    "/judging/responses/": responses.COLUMNS,
    "/people/": people.COLUMNS,
}


@pytest.fixture
def amir(admin, sign_in):
    TagFactory()
    make_imported_run(1)
    return sign_in(admin)


def headers(html: str) -> list[str]:
    head = html.partition("data-cursor")[2].partition("</thead>")[0]
    return [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<th.*?</th>", head, re.DOTALL)]


def classes(html: str) -> set[str]:
    return set(re.findall(r"hides-\d+", html.partition("<table data-cursor")[2].partition(">")[0]))


@pytest.mark.parametrize("where", LISTS)
def test_a_column_is_left_out_where_the_list_has_it(where, amir):
    columns = LISTS[where]
    shown = amir.get(where).content.decode()
    assert classes(shown) == set()
    assert {column.at: column.label for column in columns}.items() <= dict(enumerate(headers(shown), start=1)).items()
    left, *rest = columns
    query = "&".join(f"columns={column.name}" for column in rest)
    narrow = amir.get(f"{where}?{query}").content.decode()
    assert classes(narrow) == {f"hides-{left.at}"}
    assert "1 hidden" in narrow


def test_a_saved_view_and_the_filters_keep_the_columns(amir, admin):
    query = "columns=state&columns=models"
    shown = amir.get(f"/judging/runs/?{query}").content.decode()
    assert shown.count('<input type="hidden" name="columns"') == 2
    amir.post("/views/", {"path": "/judging/runs/", "search": query, "name": "Short"})
    view = SavedView.objects.get(person=admin)
    assert classes(amir.get(view.address).content.decode()) == {f"hides-{at}" for at in (4, *range(6, 12))}


def test_the_form_for_columns_keeps_filters_but_not_the_page(amir):
    run = Run.objects.get()
    shown = amir.get(f"/judging/responses/?run={run.pk}&columns=model&page=").content.decode()
    form = shown.partition('class="choose-columns"')[2].partition("</form>")[0]
    assert f'name="run" value="{run.pk}"' in form
    assert 'name="page"' not in form


@pytest.mark.parametrize("query", ["", "columns=", "columns=nothing&columns=<b>"])
def test_an_address_that_chooses_no_column_shows_all(query):
    chosen = Columns(1, model="Model", judges="Judge models").chosen(QueryDict(query))
    assert chosen.classes == ""
    assert chosen.in_force == []
