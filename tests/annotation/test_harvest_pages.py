"""The pages of harvests and wikis, as an admin uses them."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.harvesting import uploads
from annotation.mediawiki import SiteInfo, Unreachable
from annotation.models import Event, Harvest, HarvestProblem, HarvestState, Tag, Wiki

BRIDGE = "It opened in 1903.{{Inconsistent}} It closed in 1899."
RECORD = {"title": "Velm Bridge", "url": "", "paragraph_A": BRIDGE, "tag": "Inconsistent"}


@pytest.fixture
def site(admin, sign_in, tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "folder", lambda: tmp_path / "uploads")
    return sign_in(admin)


@pytest.fixture
def running(wiki_row, admin) -> Harvest:
    now = timezone.now()
    return Harvest.objects.create(
        source="category",
        wiki=wiki_row,
        parameters={"category": "Disputed bridges"},
        state=HarvestState.RUNNING,
        started_at=now,
        lease_expires_at=now + timedelta(seconds=100),
        cursor={"since": (now - timedelta(seconds=60)).isoformat(), "since_page": 100},
        articles_seen=250,
        articles_total=1000,
        requested_by=admin,
    )


def test_an_empty_list_says_what_will_be_here(site):
    assert "No harvest yet" in site.get("/annotation/harvests/").text


def test_asking_for_titles_starts_a_harvest(site, fake_wiki, wiki_row, django_capture_on_commit_callbacks):
    fake_wiki.edit("Velm Bridge", BRIDGE)
    with django_capture_on_commit_callbacks(execute=True):
        asked = {"source": "titles", "wiki": wiki_row.pk, "titles": "Velm Bridge\r\n\r\nNowhere\r\n"}
        answer = site.post("/annotation/harvests/new/", asked)
    harvest = Harvest.objects.get()
    assert harvest.parameters == {"titles": ["Velm Bridge", "Nowhere"]}
    assert harvest.state == HarvestState.DONE
    shown = site.get(answer.headers["Location"]).text
    assert "Nowhere" in shown
    assert "There is no such page." in shown
    assert Event.objects.about(harvest).first().actor == harvest.requested_by  # type: ignore[union-attr]


def test_asking_for_templates_by_family_and_by_name(site, fake_wiki, wiki_row):
    asked = {
        "source": "template",
        "wiki": wiki_row.pk,
        "families": ["inconsistent"],
        "names": "Widerspruch = self-contradictory\nContradict",
    }
    site.post("/annotation/harvests/new/", asked)
    assert Harvest.objects.get().parameters == {
        "names": {"Widerspruch": "self-contradictory", "Contradict": "self-contradictory"},
        "families": ["inconsistent"],
    }


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"source": "titles", "titles": ""}, "Give at least one title."),
        ({"source": "category"}, "Name the category."),
        ({"source": "template"}, "Choose at least one family"),
        ({"source": "template", "names": "Widerspruch"}, "family of the template “Widerspruch” is not known"),
        ({"source": "dump"}, "Choose the file."),
        ({"source": "tasks"}, "Choose the file."),
        ({"source": "nonsense"}, "not one of the available choices"),
        ({}, "required"),
    ],
)
def test_what_is_missing_is_said_at_its_field(asked, said, site, wiki_row):
    answer = site.post("/annotation/harvests/new/", {"wiki": wiki_row.pk, **asked})
    assert answer.status_code == 400
    assert said in answer.text
    assert not Harvest.objects.exists()


def test_an_uploaded_file_is_kept_until_it_is_read(site, tmp_path, db, django_capture_on_commit_callbacks):
    file = SimpleUploadedFile("mine.json", json.dumps([RECORD]).encode())
    with django_capture_on_commit_callbacks(execute=True):
        site.post("/annotation/harvests/new/", {"source": "tasks", "tasks": file})
    harvest = Harvest.objects.get()
    assert harvest.parameters["file_name"] == "mine.json"
    assert (harvest.state, Tag.objects.count()) == (HarvestState.DONE, 1)
    assert not list((tmp_path / "uploads").iterdir())


def test_a_broken_file_is_refused_and_not_kept(site, tmp_path, db):
    file = SimpleUploadedFile("mine.json", json.dumps([RECORD, {**RECORD, "title": ""}]).encode())
    answer = site.post("/annotation/harvests/new/", {"source": "tasks", "tasks": file})
    assert answer.status_code == 400
    assert "Record 2" in answer.text
    assert "“title”" in answer.text
    assert not Harvest.objects.exists()
    assert not list((tmp_path / "uploads").iterdir())


def test_a_file_that_is_too_large_is_refused(site, monkeypatch, db):
    monkeypatch.setattr(uploads, "MOST_BYTES", 10)
    answer = site.post("/annotation/harvests/new/", {"source": "tasks", "tasks": SimpleUploadedFile("x", b"x" * 11)})
    assert answer.status_code == 413
    assert not Harvest.objects.exists()


def test_a_path_outside_the_uploads_is_never_removed(tmp_path):
    path = tmp_path / "dump.xml"
    path.write_text("mine")
    uploads.discard_upload(str(path))
    assert path.exists()


def test_a_running_harvest_shows_how_far_it_is_and_asks_again(site, running):
    answer = site.get(f"/annotation/harvests/{running.pk}/").text
    assert 'value="25"' in answer
    assert "150" in answer  # pages a minute: 250 seen, 100 of them before this worker
    assert 'hx-trigger="every 2s"' in answer
    fragment = site.get(f"/annotation/harvests/{running.pk}/", headers={"HX-Request": "true"}).text
    assert "<html" not in fragment
    assert 'id="harvest"' in fragment


def test_a_finished_harvest_does_not_ask_again(site, running):
    Harvest.objects.update(state=HarvestState.DONE, finished_at=timezone.now(), lease_expires_at=None)
    assert "hx-trigger" not in site.get(f"/annotation/harvests/{running.pk}/").text


def test_an_error_says_what_is_safe_and_offers_to_resume(site, running, fake_wiki):
    Harvest.objects.update(state=HarvestState.FAILED, finished_at=timezone.now(), error="The wiki <b>is</b> busy.")
    HarvestProblem.objects.create(harvest=running, title="<script>x</script>", reason="given up")
    answer = site.get(f"/annotation/harvests/{running.pk}/").text
    assert "The wiki &lt;b&gt;is&lt;/b&gt; busy." in answer
    assert "&lt;script&gt;x" in answer
    assert "safe" in answer
    assert "Resume" in answer
    site.post(f"/annotation/harvests/{running.pk}/resume/")
    running.refresh_from_db()
    assert running.state == HarvestState.WAITING


def test_cancel(site, running):
    site.post(f"/annotation/harvests/{running.pk}/cancel/")
    running.refresh_from_db()
    assert running.state == HarvestState.CANCELLED
    assert site.post(f"/annotation/harvests/{running.pk}/cancel/").status_code == 409


def test_one_that_waits_for_its_wiki_says_so(site, running, wiki_row):
    waiting = Harvest.objects.create(source="titles", wiki=wiki_row, parameters={"titles": ["A"]})
    assert f"when harvest {running.pk} is over" in site.get(f"/annotation/harvests/{waiting.pk}/").text


# --- Wikis --------------------------------------------------------------------------------------------------------


class Site:
    def __init__(self, api_url, **settings):
        self.endpoint = self
        self.url = api_url

    def site(self):
        if "nowhere" in self.url:
            raise Unreachable("nowhere.example cannot be reached.")
        return SiteInfo("Wikipedia", "de", "", "", "", "")


@pytest.fixture
def sites(monkeypatch):
    monkeypatch.setattr("annotation.harvesting.wikis.WikiClient", Site)


def test_a_wiki_is_allowed_once_it_has_told_its_name(site, sites, admin):
    answer = site.post("/annotation/wikis/allow/", {"address": "de.wikipedia.org"}, follow=True)
    wiki = Wiki.objects.get()
    assert (wiki.name, wiki.api_url) == ("Wikipedia (de)", "https://de.wikipedia.org/w/api.php")
    assert (wiki.is_allowed, wiki.added_by) == (True, admin)
    assert "Wikipedia (de)" in answer.text
    site.post("/annotation/wikis/allow/", {"address": "https://de.wikipedia.org/wiki/Brücke"})
    assert Wiki.objects.count() == 1


@pytest.mark.parametrize("address", ["nowhere.example", "ftp://x.org", "http://169.254.169.254/", "::", " "])
def test_what_is_no_wiki_is_not_added(address, site, sites):
    answer = site.post("/annotation/wikis/allow/", {"address": address})
    assert answer.status_code >= 400
    assert not Wiki.objects.exists()


def test_a_wiki_can_be_disallowed_and_allowed_again(site, sites, wiki_row):
    site.post(f"/annotation/wikis/{wiki_row.pk}/disallow/")
    wiki_row.refresh_from_db()
    assert not wiki_row.is_allowed
    assert wiki_row not in site.get("/annotation/harvests/new/").context["form"].fields["wiki"].queryset
    site.post("/annotation/wikis/allow/", {"address": wiki_row.api_url})
    wiki_row.refresh_from_db()
    assert wiki_row.is_allowed
    assert [event.action for event in Event.objects.about(wiki_row)] == ["disallowed", "allowed"]


@pytest.mark.parametrize(
    "path", ["harvests/", "harvests/new/", "harvests/1/", "wikis/", "tags/", "tags/1/", "tags/1/source/", "progress/"]
)
def test_the_pages_are_for_admins(path, annotator, reviewer, sign_in, client):
    for person in (annotator, reviewer):
        assert sign_in(person).get(f"/annotation/{path}").status_code == 403
    assert client.get(f"/annotation/{path}").status_code == 302


def test_the_folder_of_uploads_lies_in_var(settings):
    settings.VAR_DIR = "/somewhere"
    assert uploads.folder() == Path("/somewhere/uploads")
