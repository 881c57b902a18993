"""The pages of harvests and wikis, as an admin uses them."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from annotation import tasks
from annotation.harvesting import uploads as harvest_uploads
from annotation.harvesting.harvests import resume_harvest, start_harvest
from annotation.harvesting.progress import Progress
from annotation.harvesting.steps import run_harvest
from annotation.mediawiki import SiteInfo, Unreachable
from annotation.models import Harvest, HarvestProblem, HarvestSource, HarvestState, Tag, Wiki
from annotation.wikitext.languages import LANGUAGES
from core.files import uploads
from core.models import Event

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
    assert "No harvests yet" in site.get("/annotation/harvests/").text


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
        ({"source": "template"}, "Choose at least one tag type"),
        ({"source": "template", "names": "Widerspruch"}, "type of the template “Widerspruch” is not known"),
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
    monkeypatch.setattr(harvest_uploads, "MOST_BYTES", 10)
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
    # Pages per minute: 250 seen, 100 of them before this worker, which began a minute ago, or a little more by now.
    (pages,) = re.findall(r"<strong>(\d+)</strong><span>pages per minute", answer)
    assert 50 <= int(pages) <= 150
    assert 'hx-trigger="every 2s"' in answer
    fragment = site.get(f"/annotation/harvests/{running.pk}/", headers={"HX-Request": "true"}).text
    assert "<html" not in fragment
    assert 'id="harvest"' in fragment


def test_a_finished_harvest_does_not_ask_again(site, running):
    Harvest.objects.update(state=HarvestState.DONE, finished_at=timezone.now(), lease_expires_at=None)
    assert 'hx-trigger="every' not in site.get(f"/annotation/harvests/{running.pk}/").text


def test_an_error_says_what_is_safe_and_offers_to_resume(site, running, fake_wiki):
    Harvest.objects.update(state=HarvestState.FAILED, finished_at=timezone.now(), error="The wiki <b>is</b> busy.")
    HarvestProblem.objects.create(harvest=running, title="<script>x</script>", reason="given up")
    answer = site.get(f"/annotation/harvests/{running.pk}/").text
    assert "The wiki &lt;b&gt;is&lt;/b&gt; busy." in answer
    assert "&lt;script&gt;x" in answer
    assert "Everything stored so far is complete" in answer
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
    assert f"when harvest {running.pk} ends" in site.get(f"/annotation/harvests/{waiting.pk}/").text


# --- How many ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [2, 50])
def test_a_harvest_ends_at_the_most_that_it_is_to_take(
    batch, site, fake_wiki, wiki_row, django_capture_on_commit_callbacks
):
    fake_wiki.batch = batch
    for number in range(9):
        fake_wiki.edit(f"Bridge {number}", BRIDGE)
    asked = {"source": "template", "wiki": wiki_row.pk, "families": ["inconsistent"], "most": "5"}
    with django_capture_on_commit_callbacks(execute=True):
        page = site.post("/annotation/harvests/new/", asked, follow=True)
    harvest = Harvest.objects.get()
    assert (harvest.state, harvest.articles_seen, harvest.articles_total) == (HarvestState.DONE, 5, 5)
    assert Tag.objects.count() == 5
    assert "Stopped at its limit of articles" in site.get(page.redirect_chain[-1][0]).text


def test_the_example_of_another_languages_template_is_right(site):
    page = site.get(reverse("harvest_new")).text
    template, family = re.search(r"one per line with its type: (\w+)=([\w-]+)", page).groups()
    assert dict(LANGUAGES["de"].families)[template] == family


def test_a_dump_that_has_to_be_unpacked_again_says_so(site, wiki_row):
    """A single stream cannot be unpacked from its middle."""
    behind = {"offset": 3_000_000_000, "packed": 0, "unpacked": 0}
    cursor = {"checkpoint": {"read": 9, "behind": behind}, "since": timezone.now().isoformat(), "since_page": 9}
    harvest = Harvest.objects.create(
        source=HarvestSource.DUMP,
        wiki=wiki_row,
        parameters={"path": "x", "file_name": "x.xml.gz"},
        state=HarvestState.FAILED,
        error="The machine went down.",
        finished_at=timezone.now(),
        articles_seen=9,
        cursor=cursor,
    )
    page = site.get(reverse("harvest", args=[harvest.pk])).text
    assert "The first 2.8\xa0GB of the dump are unpacked again for that, but not read." in page
    harvest.state = HarvestState.RUNNING
    assert Progress(harvest).hint.startswith("It unpacks the first 2.8\xa0GB of the dump again, without reading them")
    harvest.articles_seen = 10
    assert "unpack" not in Progress(harvest).hint
    harvest.cursor["checkpoint"]["behind"] = behind | {"packed": 900_000, "unpacked": 2_999_000_000}
    harvest.articles_seen = 9
    assert "unpack" not in Progress(harvest).hint


def test_the_most_holds_over_a_resumption(fake_wiki, wiki_row):
    fake_wiki.batch = 2
    for number in range(9):
        fake_wiki.edit(f"Bridge {number}", BRIDGE)
    row = start_harvest(source="template", wiki=wiki_row, parameters={"families": ["inconsistent"], "most": 5})
    fake_wiki.error, fake_wiki.error_after = Unreachable("away"), 4
    run_harvest(row.pk)
    row.refresh_from_db()
    assert (row.state, row.articles_seen) == (HarvestState.FAILED, 4)
    fake_wiki.error = None
    resume_harvest(harvest=row, by=None)
    run_harvest(row.pk)
    row.refresh_from_db()
    assert (row.state, row.articles_seen) == (HarvestState.DONE, 5)


@pytest.mark.parametrize(
    ("field", "value"), [("depth", "-1"), ("depth", "99"), ("depth", "x"), ("most", "0"), ("most", "9" * 30)]
)
def test_numbers_that_make_no_sense_are_said_at_their_field(field, value, site, wiki_row):
    asked = {"source": "category", "wiki": wiki_row.pk, "category": "Bridges", field: value}
    answer = site.post("/annotation/harvests/new/", asked)
    assert (answer.status_code, field in answer.context["form"].errors) == (400, True)
    assert not Harvest.objects.exists()


def test_a_link_fills_the_form_in(site, wiki_row):
    form = site.get(f"/annotation/harvests/new/?source=category&wiki={wiki_row.pk}&category=A%26B&depth=2").text
    assert 'value="A&amp;B"' in form
    assert 'value="2"' in form


# --- Wikis --------------------------------------------------------------------------------------------------------


class Site:
    def __init__(self, api_url, **settings):
        self.endpoint = self
        self.url = api_url

    def site(self):
        if "nowhere" in self.url:
            raise Unreachable("nowhere.example cannot be reached.")
        return SiteInfo("Wikipedia", "de", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/")


@pytest.fixture
def sites(monkeypatch):
    monkeypatch.setattr("annotation.harvesting.wikis.WikiClient", Site)


def test_a_wiki_is_allowed_once_it_has_told_its_name(site, sites, admin):
    answer = site.post("/annotation/wikis/allow/", {"address": "de.wikipedia.org"}, follow=True)
    wiki = Wiki.objects.get()
    assert (wiki.name, wiki.api_url) == ("Wikipedia (de)", "https://de.wikipedia.org/w/api.php")
    assert (wiki.is_allowed, wiki.added_by) == (True, admin)
    assert wiki.licence_url == "https://creativecommons.org/licenses/by-sa/4.0/"
    assert "Wikipedia (de)" in answer.text
    assert "CC BY-SA 4.0" in answer.text
    # A wiki that was allowed before licences were requested.
    Wiki.objects.update(licence="", licence_url="")
    site.post("/annotation/wikis/allow/", {"address": "https://de.wikipedia.org/wiki/Brücke"})
    assert [each.licence for each in Wiki.objects.all()] == ["CC BY-SA 4.0"]


@pytest.mark.parametrize("address", ["nowhere.example", "ftp://x.org", "http://169.254.169.254/", "::", " "])
def test_what_is_no_wiki_is_not_added(address, site, sites):
    answer = site.post("/annotation/wikis/allow/", {"address": address})
    assert answer.status_code >= 400
    assert not Wiki.objects.exists()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nowhere.example", "cannot be reached"),
        ("ftp://x.example/<b>", "not ftp://"),
        ("https://wiki.elsewhere.test", "WIKI_ALLOWED_HOSTS"),
        ("http://10.0.0.7/w/api.php", "LOCAL_WIKIS=true"),
    ],
)
def test_a_refused_address_keeps_what_was_typed(address, said, site, sites, settings):
    settings.LOCAL_WIKIS = False
    answer = site.post("/annotation/wikis/allow/", {"address": address})
    assert answer.status_code >= 400
    assert f'value="{escape(address)}"' in answer.text
    assert said in answer.text
    assert not Wiki.objects.exists()


def test_a_refused_file_keeps_what_was_typed(site, wiki_row):
    asked = {"source": "dump", "dump_wiki": wiki_row.pk, "titles": "Kept", "category": "Also kept"}
    file = SimpleUploadedFile("page.html", b"<html></html>")
    answer = site.post("/annotation/harvests/new/", {**asked, "dump": file})
    assert answer.status_code == 400
    assert "begins with &lt;html&gt;" in answer.text
    assert "Kept" in answer.text
    assert 'value="Also kept"' in answer.text
    assert not Harvest.objects.exists()


def test_lists_of_wikis_show_the_host(site, wiki_row):
    other = Wiki.objects.create(name=wiki_row.name, api_url="https://other.example:8443/w/api.php")
    Harvest.objects.create(source="titles", wiki=other, parameters={"titles": ["A"]})
    assert f"{wiki_row.name} · wiki.example" in site.get("/annotation/harvests/new/").text
    assert f"{wiki_row.name} · other.example:8443" in site.get("/annotation/harvests/new/").text
    assert '<span class="muted">other.example:8443</span>' in site.get("/annotation/harvests/").text
    assert '<span class="muted">wiki.example</span>' in site.get("/annotation/wikis/").text


# --- Without a contact ----------------------------------------------------------------------------------------------


def test_without_a_contact_the_form_starts_nothing_and_says_what_to_set(site, fake_wiki, wiki_row, settings):
    settings.WIKI_CONTACT = ""
    asked = {"source": "titles", "wiki": wiki_row.pk, "titles": "Velm Bridge"}
    answer = site.post("/annotation/harvests/new/", asked)
    assert answer.status_code == 400
    assert "Set WIKI_CONTACT" in answer.text
    assert "Velm Bridge</textarea>" in answer.text
    assert not Harvest.objects.exists()
    answer = site.post("/annotation/wikis/allow/", {"address": "en.wikipedia.org"})
    assert (answer.status_code, "Set WIKI_CONTACT" in answer.text) == (400, True)


def test_without_a_contact_the_command_asks_nothing(fake_wiki, wiki_row, settings):
    settings.WIKI_CONTACT = ""
    with pytest.raises(CommandError, match="Set WIKI_CONTACT"):
        call_command("harvest_articles", "--titles", "A")
    with pytest.raises(CommandError, match="Set WIKI_CONTACT"):
        call_command("harvest_articles", "--titles", "A", "--wiki", "en.wikipedia.org", "--allow")
    assert (fake_wiki.asked, Harvest.objects.count()) == ([], 0)
    fake_wiki.edit("A", BRIDGE)
    call_command("harvest_articles", "--titles", "A", "--contact", "me@example.org")
    assert Harvest.objects.get().state == HarvestState.DONE


def test_without_a_contact_the_task_asks_nothing(wiki_row, settings):
    harvest = Harvest.objects.create(source="titles", wiki=wiki_row, parameters={"titles": ["A"]})
    settings.WIKI_CONTACT = ""
    tasks.run_harvest(harvest.pk)
    harvest.refresh_from_db()
    assert harvest.state == HarvestState.FAILED
    assert "Set WIKI_CONTACT" in harvest.error


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
