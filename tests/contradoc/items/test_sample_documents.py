"""A first start has ContraDoc from invented documents to reports, with a verification in progress."""

import json

import pytest
from django.urls import reverse

from annotation.models import Release
from benchmarks.contradoc.items import CODE
from benchmarks.contradoc.maker.generation import METHODS
from benchmarks.contradoc.maker.pattern import pattern_statements
from benchmarks.contradoc.models import Document
from benchmarks.contradoc.samples import work
from core.accounts.sample_people import make_demo_people
from core.models import User
from review.models import Judgment, Round
from tests.conflictbank.items.test_item_files import printed
from tests.factories.contradoc import make_document

pytestmark = pytest.mark.django_db
REPORTS = ("table2", "table3", "table4", "table6", "statistics", "verification", "figure2")


def test_a_first_start_goes_from_documents_to_tables_once(engine, client):
    make_demo_people()
    assert "of ContraDoc" in work.demonstrate_documents()
    release = Release.objects.get(benchmark=CODE)
    labels = set(release.instances.values_list("content__label", flat=True))
    assert labels == {"pos", "neg"}
    in_progress = Round.objects.get(name=work.IN_PROGRESS)
    given = Judgment.objects.filter(round=in_progress, judged_at__isnull=False)
    assert given.count() == 2 * work.JUDGED < in_progress.judgments.count()
    client.force_login(User.objects.get(username="admin"))
    for name in REPORTS:
        page = client.get(reverse("report", args=[f"contradoc-{name}"])).text
        assert "<table" in page, name
        assert 'class="empty"' not in page, name
        assert work.INVENTED.text in page or work.RELEASE in page, name
    assert "invented" in client.get(reverse("release_datasheet", args=[release.number])).text
    for name in ("documents", "candidates"):
        assert "sample_1" in client.get(reverse(name)).text, name
    verified = json.loads(printed("report", "contradoc-verification", "--format", "json"))
    assert work.INVENTED.text in [note["text"] for note in verified["notes"]]
    before = Release.objects.count(), Round.objects.count()
    assert work.demonstrate_documents() == ""
    assert (Release.objects.count(), Round.objects.count()) == before


def test_a_project_with_documents_or_people_of_its_own_gets_none(reviewer):
    make_demo_people()
    assert work.demonstrate_documents() == ""
    User.objects.filter(pk=reviewer.pk).delete()
    make_document("theirs")
    assert work.demonstrate_documents() == ""
    assert Document.objects.count() == 1


def test_what_an_interrupted_first_start_lacks_is_made_by_the_next(engine):
    make_demo_people()
    work.make_candidates()
    assert "of ContraDoc" in work.demonstrate_documents()
    assert Round.objects.filter(name__in=[work.FINISHED, work.IN_PROGRESS]).count() == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It has 14 stops. Nobody knows.", [("It has 14 stops.", "It has 31 stops.")]),
        (
            "He came in 1903. She left in 1910.",
            [("He came in 1903.", "He came in 1912."), ("She left in 1910.", "She left in 1919.")],
        ),
        ("It costs 3.5 crowns. A4 paper is white.", []),
        ("Nothing here counts.", []),
    ],
)
def test_the_pattern_changes_a_number_in_each_sentence_that_has_one(text, found):
    reply = json.loads(pattern_statements(text, METHODS["content_insert"]))
    assert [(each["Original"], each["Contradiction"]) for each in reply] == found
