"""The files of reports are in English whoever asks for them, and their pages are not."""

from django.urls import reverse

from core.models import Role
from review.reports.formats import FORMATS
from review.reports.registry import all_reports
from tests.conftest import make_person
from tests.factories.review import give_all, make_imported_run, make_round
from tests.languages.test_exports import chosen


def test_the_files_of_reports_are_the_same_for_a_german_admin(db):
    amir = make_person("amir", Role.ADMIN)
    reviewers = [make_person("rita", Role.REVIEWER), make_person("ralph", Role.REVIEWER)]
    judged = make_round(amir, reviewers, make_imported_run(8, codes=["4", "5"]))
    for number, item in enumerate(judged.items.order_by("pk")):
        give_all(item, "correct", "correct" if number % 3 else "incorrect")
    wanted = [reverse("report_download", args=[name, kind]) for name in all_reports() for kind in FORMATS]
    wanted += [reverse("person_quality_download", args=[reviewers[0].pk, kind]) for kind in ("csv", "json")]
    wanted += [reverse("report_picture", args=["agreement", 1, "svg"]), reverse("annotator_disagreements_download")]
    files = {}
    for language in ("", "de"):
        client = chosen(amir, language)
        files[language] = {where: b"".join(client.get(where)) for where in wanted}
    assert [where for where, body in files[""].items() if body != files["de"][where]] == []
    assert "Übereinstimmung".encode() not in b"".join(files["de"].values())
    page = chosen(amir, "de").get(reverse("report", args=["agreement"])).content.decode()
    assert "Übereinstimmung der Prüfenden" in page
