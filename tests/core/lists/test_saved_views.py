"""Views of lists that a person saves under a name: on the list, on a page of their own, and in the palette."""

import pytest
from django.utils import timezone

from core.models import Role, SavedView
from core.navigation.saved_views import MOST_VIEWS
from judging.models import Run, RunKind, RunState
from tests.conftest import make_person

pytestmark = pytest.mark.django_db
RUNS, VIEWS = "/judging/runs/", "/views/"


def save(client, name, search="state=cancelled", path=RUNS):
    return client.post(VIEWS, {"path": path, "search": search, "name": name})


def names() -> list[str]:
    return [view.name for view in SavedView.objects.all()]


def test_a_view_is_saved_on_its_list_opened_and_found(admin, sign_in):
    client = sign_in(admin)
    Run.objects.create(kind=RunKind.ANSWER, state=RunState.CANCELLED, name="Halted", started_at=timezone.now())
    Run.objects.create(kind=RunKind.ANSWER, state=RunState.PLANNED, name="Drawn up")
    assert "Save this view" not in client.get(RUNS).text
    page = client.get(f"{RUNS}?state=cancelled&kind=&page=last").text
    assert "Halted" in page
    assert "Drawn up" not in page
    assert 'name="search" value="state=cancelled"' in page
    saved = save(client, "<b>Halted ones</b>", "state=cancelled&kind=&page=2")
    assert saved.headers["Location"] == f"{RUNS}?state=cancelled"
    page = client.get(saved.headers["Location"]).text
    assert "&lt;b&gt;Halted ones&lt;/b&gt;</a>" in page
    assert "Save this view" not in page
    assert f'href="{RUNS}?state=cancelled"' in client.get("/find/?q=halted", HTTP_HX_REQUEST="true").text
    assert "Halted ones" not in client.get("/judging/models/").text


def test_views_are_renamed_ordered_and_deleted(admin, sign_in):
    client = sign_in(admin)
    for number, name in enumerate(("One", "Two", "Three")):
        save(client, name, f"state=cancelled&kind={number}")
    save(client, "Two", "state=running")
    assert names() == ["One", "Two", "Three"]
    one, two, _ = SavedView.objects.all()
    assert two.search == "state=running"
    client.post(f"{VIEWS}{one.pk}/", {"do": "down", "name": "One"})
    client.post(f"{VIEWS}{two.pk}/", {"do": "up", "name": "Two"})
    assert names() == ["Two", "One", "Three"]
    client.post(f"{VIEWS}{one.pk}/", {"do": "rename", "name": "Last"})
    client.post(f"{VIEWS}{two.pk}/", {"do": "delete"})
    assert names() == ["Last", "Three"]
    assert client.post(f"{VIEWS}{one.pk}/", {"do": "rename", "name": "Three"}).status_code == 409
    assert client.post(f"{VIEWS}{one.pk}/", {"do": "rename", "name": ""}).status_code == 400
    assert names() == ["Last", "Three"]


def test_views_of_another_person_are_nowhere(admin, sign_in):
    save(sign_in(admin), "Amir’s own")
    view = SavedView.objects.get()
    other = sign_in(make_person("paul", Role.ADMIN))
    for address in (RUNS, VIEWS, "/find/?q=own"):
        assert "Amir’s own" not in other.get(address).text
    assert other.post(f"{VIEWS}{view.pk}/", {"do": "delete"}).status_code == 404
    assert names() == ["Amir’s own"]


@pytest.mark.parametrize(
    ("path", "search"),
    [
        (RUNS, "page=2"),
        ("//elsewhere.example/", "a=b"),
        ("https://elsewhere.example/", "a=b"),
        (RUNS, "a=" + "b" * 1001),
    ],
)
def test_what_is_no_list_with_filters_is_refused(path, search, admin, sign_in):
    assert save(sign_in(admin), "Wrong", search, path).status_code == 400
    assert names() == []


def test_so_many_views_of_a_list_and_no_more(admin, sign_in):
    client = sign_in(admin)
    for number in range(MOST_VIEWS):
        save(client, f"View {number}", f"state=cancelled&kind={number}")
    assert save(client, "One more").status_code == 409
    assert save(client, "On another list", path="/review/rounds/").status_code == 302
