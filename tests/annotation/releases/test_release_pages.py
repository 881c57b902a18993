"""Admins make releases, read and download them; nobody else sees them."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import Annotation, Release
from annotation.releases.freezing import create_release
from tests.annotation.releases.test_import_annotations import record
from tests.factories import AnnotationFactory
from tests.untriggered import without_triggers

pytestmark = pytest.mark.django_db

PAGES = [
    ("releases", []),
    ("release_preview", []),
    ("release", [1]),
    ("release_check", [1]),
    ("release_datasheet", [1]),
    ("release_download", [1, "json"]),
    ("export_now", ["json"]),
    ("import_annotations", []),
]


@pytest.fixture
def client(admin, sign_in):
    return sign_in(admin)


@pytest.mark.parametrize(("name", "arguments"), PAGES)
def test_only_admins_come_in(name, arguments, sign_in, annotator, reviewer, adjudicator, stranger, admin):
    AnnotationFactory()
    create_release(name="First", admin=admin)
    for person in (annotator, reviewer, adjudicator, stranger):
        assert sign_in(person).get(reverse(name, args=arguments)).status_code == 403
    assert sign_in(admin).get(reverse(name, args=arguments), follow=True).status_code == 200


@pytest.mark.parametrize("name", ["release", "release_check", "release_datasheet"])
def test_a_release_that_is_not_there_is_a_plain_404(name, client):
    assert client.get(reverse(name, args=[7])).status_code == 404
    assert client.get(reverse(name, args=[10**15])).status_code == 404


def test_an_empty_page_says_how_a_release_gets_here(client):
    page = client.get(reverse("releases")).content.decode()
    assert "No releases yet" in page
    preview = client.get(reverse("release_preview"), headers={"HX-Request": "true"}).content.decode()
    assert "Nothing is accepted yet" in preview
    assert "<html" not in preview


def test_an_admin_makes_a_release_and_sees_what_is_in_it(client, admin):
    annotation = AnnotationFactory()
    preview = client.get(reverse("release_preview")).content.decode()
    assert "<strong>1</strong>" in preview
    page = client.post(reverse("releases"), {"name": "First <b>", "notes": "Two\nlines"}, follow=True)
    release = Release.objects.get()
    assert page.redirect_chain[-1][0] == reverse("release", args=[1])
    text = page.content.decode()
    assert "First &lt;b&gt;" in text
    assert release.content_hash in text
    assert "This is the first release" in text
    assert "Nothing changed since release 1" in client.get(reverse("release_preview")).content.decode()
    Annotation.objects.update(valid_comment="Now with a comment.")
    client.post(reverse("releases"), {"name": "Second"})
    second = client.get(reverse("release", args=[2])).content.decode()
    assert "Changes since release 1" in second
    assert annotation.tag.article.title in second


def test_a_release_without_a_name_is_pointed_out_at_the_field(client):
    AnnotationFactory()
    page = client.post(reverse("releases"), {"name": " ", "notes": "kept"})
    assert page.status_code == 400
    assert "kept" in page.content.decode()
    assert not Release.objects.exists()


def test_a_second_click_makes_no_second_release(client):
    AnnotationFactory()
    client.post(reverse("releases"), {"name": "First"})
    again = client.post(reverse("releases"), {"name": "First"})
    assert again.status_code == 409
    assert "Nothing changed since release 1" in again.content.decode()


def test_the_check_tells_whether_it_is_still_what_was_frozen(client, admin):
    AnnotationFactory()
    release = create_release(name="First", admin=admin)
    address = reverse("release_check", args=[1])
    assert "has this hash" in client.get(address, headers={"HX-Request": "true"}).content.decode()
    with without_triggers("annotation_releasedinstance"):
        release.released_instances.all().delete()
    assert "Differs from the frozen content" in client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "it differs from the frozen content" in client.get(address, follow=True).content.decode()


@pytest.mark.parametrize(
    ("kind", "content_type"),
    [
        ("json", "application/json"),
        ("csv", "text/csv; charset=utf-8"),
        ("jsonl", "application/x-ndjson"),
        ("datasheet", "text/markdown; charset=utf-8"),
    ],
)
def test_a_release_is_downloaded(kind, content_type, client, admin):
    AnnotationFactory()
    create_release(name="First", admin=admin)
    response = client.get(reverse("release_download", args=[1, kind]))
    assert response["Content-Type"] == content_type
    assert response["Content-Disposition"].startswith('attachment; filename="wikicontradict-release-1')
    assert b"1903" in response.getvalue() if kind != "datasheet" else b"# Datasheet" in response.getvalue()


def test_an_unknown_form_is_a_plain_404(client, admin):
    AnnotationFactory()
    create_release(name="First", admin=admin)
    assert client.get(reverse("release_download", args=[1, "exe"])).status_code == 404
    assert client.get(reverse("export_now", args=["jsonl"])).status_code == 404


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_what_is_accepted_now_is_downloaded_without_a_release(kind, client):
    AnnotationFactory()
    assert b"1903" in client.get(reverse("export_now", args=[kind])).getvalue()


def upload(client, content: bytes, action: str, **headers):
    file = SimpleUploadedFile("records.json", content)
    return client.post(reverse("import_annotations"), {"file": file, "action": action}, headers=headers)


def test_a_file_is_checked_and_then_imported(client):
    content = json.dumps([record()]).encode()
    checked = upload(client, content, "check", **{"HX-Request": "true"}).content.decode()
    assert "nothing was written" in checked
    assert "1 record: 1 new annotation with 1 instance." in checked
    assert not Annotation.objects.exists()
    assert "1 new annotation " in upload(client, content, "import").content.decode()
    assert Annotation.objects.get().state == "accepted"


def test_a_broken_upload_is_refused_with_record_and_field(client):
    response = upload(client, b'[{"title": "x"}, {"url": "y"}]', "import", **{"HX-Request": "true"})
    assert response.status_code == 400
    assert "Record 2: the field “title” is missing" in response.content.decode()
    assert not Annotation.objects.exists()


def test_an_upload_that_is_too_large_is_refused(client, settings):
    settings.IMPORT_MAX_BYTES = 10
    assert upload(client, b"[" + b" " * 100 + b"]", "import").status_code == 413


def test_no_file_is_pointed_out_at_the_field(client):
    assert client.post(reverse("import_annotations"), {"action": "import"}).status_code == 400
    assert io.BytesIO(client.get(reverse("import_annotations")).content).read().count(b'type="file"') == 1


def test_the_next_step_of_a_release_is_a_run_over_it(client, admin):
    AnnotationFactory()
    first = create_release(name="First", admin=admin)
    AnnotationFactory()
    create_release(name="Second", admin=admin)
    page = client.get(reverse("release", args=[first.number])).content.decode()
    assert f'href="{reverse("run_new")}?release={first.number}">New run</a>' in page
    form = client.get(reverse("run_new"), {"release": first.number}).context["form"]
    assert form.initial["release"] == first


def test_freezing_says_first_that_it_cannot_be_taken_back(client):
    AnnotationFactory()
    page = client.get(reverse("releases")).content.decode()
    before, _, after = page.partition("A release cannot be changed or deleted")
    assert "Freeze as release 1" in before
    assert "Freeze it for good" in after
