"""A tag that the program found can be told from those of editors: in exports, releases, lists, its history, and when
its article is checked again.
"""

import json
from datetime import UTC, datetime

import pytest

from annotation.assisting.untagged.candidates import candidates_in_page
from annotation.assisting.untagged.standing import standing
from annotation.evidence import watch
from annotation.evidence.fetching import NotToBeHad, fetch_request
from annotation.evidence.watched import watched
from annotation.finding.deciding import send_to_queue
from annotation.finding.storing import store_page_candidates
from annotation.label_studio.exports import task_chunks
from annotation.mediawiki import PageNow, RevisionText
from annotation.models import Annotation, Candidate, EvidenceKind, EvidenceRequest, Tag, WatchState
from annotation.releases.datasheets.datasheet import datasheet, markdown
from annotation.releases.files.exports import current_records, json_chunks, released_records
from annotation.releases.files.imports import import_records
from annotation.releases.files.work_export import work_record
from annotation.releases.freezing import create_release
from tests.factories import AnnotationFactory, TagFactory, WikiFactory

from .pages import BRIDGE, PERSON, TABLE, page

pytestmark = pytest.mark.django_db
MARK = {"found_by": "the program"}


@pytest.fixture
def tag(admin) -> Tag:
    wiki = WikiFactory()
    found = candidates_in_page("Tarn Bridge", BRIDGE)
    store_page_candidates(wiki=wiki, page=page("Tarn Bridge", BRIDGE), found=found, by=None)
    return send_to_queue(candidate=Candidate.objects.get(), admin=admin)


@pytest.fixture
def both(tag, annotator, admin):
    """An annotation of that tag and one of an editor's."""
    return [AnnotationFactory(tag=each, annotator=annotator, reviewed_by=admin) for each in (TagFactory(), tag)]


def marks(records) -> list[object]:
    return [record.get("found_by") for record in records]


def test_records_and_provenance_name_the_program_for_its_tags_alone(both):
    assert sorted(map(str, marks(current_records()))) == ["None", "the program"]
    assert marks(work_record(each) for each in both) == [None, "the program"]


def test_tasks_for_label_studio_name_the_program(both):
    tasks = json.loads("".join(task_chunks()))
    assert marks(task["data"] for task in tasks) == [each.tag.candidate and "the program" for each in _by_tag(both)]


def _by_tag(annotations) -> list[Annotation]:
    return sorted(annotations, key=lambda each: each.tag_id)


def test_a_release_keeps_it_and_its_datasheet_says_so(both, admin):
    release = create_release(name="One", notes="", admin=admin)
    assert sorted(map(str, marks(released_records(release)))) == ["None", "the program"]
    text = markdown(datasheet(release))
    assert "| None: found by the program, not tagged by an editor | 1 |" in text
    assert "Some tags were found by the program" in text
    assert "or that a program found by comparing texts" in text


def test_a_release_without_any_says_nothing_of_it(admin):
    AnnotationFactory()
    assert "program" not in markdown(datasheet(create_release(name="One", notes="", admin=admin)))


def test_the_mark_comes_back_from_a_file(both, admin, tmp_path):
    file = tmp_path / "records.json"
    file.write_text("".join(json_chunks(current_records())))
    before = json.loads(file.read_text())
    with file.open("rb") as stream:
        assert import_records(stream, admin=admin, check_only=True).new == 0
    for record in before:
        record["title"] += " (copy)"
    file.write_text(json.dumps(before))
    with file.open("rb") as stream:
        import_records(stream, admin=admin, check_only=False)
    assert sorted(map(str, marks(current_records()))) == ["None", "None", "the program", "the program"]


@pytest.mark.parametrize(("found_by", "is_shown"), [("program", True), ("editor", False), ("", True)])
def test_the_list_of_tags_is_filtered_by_it(found_by, is_shown, tag, amir):
    TagFactory()
    shown = amir.get(f"/annotation/tags/?found_by={found_by}").content.decode()
    assert ("Tarn Bridge" in shown) == is_shown
    rows = amir.get(f"/api/v1/tags/?found_by={found_by}").json()["results"]
    assert (tag.pk in [row["id"] for row in rows]) == is_shown
    assert all(row["found_by_program"] == (row["id"] == tag.pk) for row in rows)


def test_its_history_says_that_no_edit_added_a_tag(tag):
    request = EvidenceRequest(tag=tag, kind=EvidenceKind.HISTORY, wiki=tag.article.wiki, article=tag.article)
    with pytest.raises(NotToBeHad, match="No editor tagged it, so no edit added a tag"):
        fetch_request(request)


# --- The article, checked again ---------------------------------------------------------------------------------


@pytest.fixture
def look(monkeypatch, tag, annotator):
    """`look(wikitext)` checks the tag when the wiki has this text; returns the finding."""
    annotation = AnnotationFactory(tag=tag, annotator=annotator)

    def look(wikitext: str, revision: int = 99):
        class Client:
            def __init__(self, *given, **named): ...

            def pages_now(self, pages):
                return {number: PageNow(number, "Tarn Bridge", revision) for number in pages}

            def texts(self, revisions):
                at = datetime(2025, 1, 1, tzinfo=UTC)
                return {each: RevisionText(7, "Tarn Bridge", each, at, wikitext) for each in revisions}

        monkeypatch.setattr(watch, "WikiClient", Client)
        watch.watch_tags([Tag.objects.get(pk=tag.pk)])
        result = watch.watch_state(tag)
        return result, watched(annotation, reader=annotation.reviewed_by or annotator)

    return look


def test_an_unchanged_article_still_has_both_texts(look):
    result, shown = look(BRIDGE, revision=70)
    assert (result.state, result.message) == (WatchState.UNCHANGED, "Both texts still stand in the article.")
    assert result.tag_is_there is None
    assert shown.question == "Still there?"


def test_edits_elsewhere_change_nothing(look):
    result, _ = look(BRIDGE + "\n== Later ==\nA tram crosses it.\n")
    assert result.state == WatchState.UNCHANGED


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("opened = 1868", "opened = 1871", "first text"),
        ("4 May 1871", "4 May 1868", "second text"),
    ],
)
def test_a_corrected_text_is_reported(old, new, said, look):
    result, shown = look(BRIDGE.replace(old, new))
    assert (result.state, result.message) == (
        WatchState.CHANGED,
        f"The article no longer has the {said} as found.",
    )
    assert shown.has_changed


def test_a_tag_that_an_editor_leaves_there_later_is_not_taken_for_it(look, tag):
    tagged = BRIDGE.replace("by the mayor.", "by the mayor.{{Inconsistent|date=May 2024}}")
    result, _ = look(tagged)
    assert result.tag_is_there is None


@pytest.mark.parametrize("wikitext", [BRIDGE, PERSON, TABLE], ids=["infobox", "lead", "table"])
def test_the_texts_of_a_candidate_stand_in_its_own_page(wikitext):
    for each in candidates_in_page("Ilse Marrow", wikitext, closely=True):
        assert standing("Ilse Marrow", wikitext, [each.text_1, each.text_2]) == [True, True]


def test_a_corrected_table_no_longer_has_its_wrong_sum():
    (found,) = candidates_in_page("Vale Vote", TABLE)
    assert standing("Vale Vote", TABLE.replace("2,500", "2,400"), [found.text_1, found.text_2]) == [False, False]
