"""Problems of imported files: pages say them in the reader's language, the API and commands in English."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import RequestFactory
from django.urls import reverse
from django.utils import translation

from core.files.problems import Problems, ShapeError, broken
from core.languages import say, translated
from core.models import User
from core.views.home import server_error
from tests.conftest import signed_in

BAD = json.dumps([{"title": "Rome", "url": 3}, {"title": ""}])
ENGLISH = "Record 1 (“Rome”): the field “url” must be a text, but is a number."
GERMAN = "Datensatz 1 („Rome“): das Feld „url“ muss ein Text sein, ist aber eine Zahl."


@pytest.fixture
def german(admin):
    User.objects.filter(pk=admin.pk).update(language="de")
    return signed_in(User.objects.get(pk=admin.pk))


def upload(client, content: str) -> str:
    file = SimpleUploadedFile("records.json", content.encode())
    return client.post(reverse("import_annotations"), {"file": file}, follow=True).text


def test_a_page_says_them_in_the_readers_language(german, tmp_path):
    page = upload(german, BAD)
    assert "Die Datei wurde als Ganzes abgelehnt" in page
    assert GERMAN in page
    assert ENGLISH[:-1] not in page
    (tmp_path / "records.json").write_text(BAD)
    with pytest.raises(CommandError) as refused:
        call_command("import_annotations", str(tmp_path / "records.json"))
    assert ENGLISH in str(refused.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "Sie ist leer."),
        ("{}", "Sie muss eine Liste von Datensätzen sein und mit „[“ beginnen."),
        ('[{"title": 1},', "Datensatz 2 ist kein JSON"),
        ("[] 3", "Nach dem Ende der Liste folgt noch etwas (Zeile 1, Spalte 4)."),
    ],
)
def test_a_file_that_is_none_of_records_is_refused_in_german(german, content, said):
    assert said in upload(german, content)


def test_a_long_list_is_shortened_in_both_languages():
    problems = Problems()
    for number in range(7):
        problems.add(say("Line {line}", line=number), ShapeError("a" * 400, say("is missing")))
    said = broken(problems.text()).message
    assert "2 more records have problems." in said
    with translation.override("de"):
        shown = translated(said)
    assert "Zeile 4: das Feld „aaa" in shown
    assert shown.endswith("2 weitere Datensätze haben Fehler.")


def test_the_page_of_a_broken_page_is_in_the_readers_language():
    with translation.override("de"):
        page = server_error(RequestFactory().get("/runs/")).content.decode()
    assert "Bei uns ist etwas schiefgegangen" in page
