"""The number of statements that each address of the API sends does not grow with the rows; transactions not
counted."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.conftest import make_person
from tests.core.api.test_api import program
from tests.costs.test_request_costs import STATEMENT
from tests.factories import TagFactory
from tests.factories.review import make_imported_run

pytestmark = pytest.mark.django_db
LISTS = ("people", "activity", "tags", "releases", "runs", "responses", "rounds", "models", "templates", "reviews")


def statements(client, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"/api/v1/{path}/").status_code == 200
    return sum(bool(STATEMENT.match(query["sql"])) for query in queries)


def test_a_list_asks_as_often_for_many_rows_as_for_few(admin):
    client = program(admin)
    make_imported_run(1, name="first")
    TagFactory()
    few = {path: (statements(client, path), statements(client, path))[1] for path in LISTS}
    for number in range(4):
        make_imported_run(2, name=f"run {number}")
        make_person(f"person{number}")
        TagFactory()
    many = {path: statements(client, path) for path in LISTS}
    assert many == few
    assert max(many.values()) <= 12, many
