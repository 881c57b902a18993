"""A draft: what is acknowledged is kept, what is stale is refused with both versions kept."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.fields import differing_fields, empty_content
from annotation.content.rows import content_of
from annotation.desk.assignments.assignment import Standing
from annotation.desk.drafts.drafts import KEPT_REFUSED, KEPT_SAVES, save_draft
from annotation.models import Annotation, DraftSave
from core.refusals import Forbidden, Refusal
from tests.annotation.desk_helpers import claim, complete_content, let_lapse, save, submit
from tests.factories import TagFactory


@pytest.fixture
def annotation(annotator) -> Annotation:
    TagFactory(article__title="Harbour Bridge")
    return claim(annotator)


def stored(annotation: Annotation):
    return content_of(Annotation.objects.get(pk=annotation.pk))


def test_a_new_draft_starts_with_the_article_as_title_of_both_passages(annotation):
    content = stored(annotation)
    assert content["paragraphA_article"] == content["paragraphB_article"] == "Harbour Bridge"
    assert content["wikitag_label_samepassage"] == "Different"


def test_passage_2_of_a_tag_that_names_another_article_starts_with_that_article(annotator):
    TagFactory(family="contradict-other", other_articles=["River Ferry"], article__title="Harbour Bridge")
    content = content_of(claim(annotator))
    assert (content["paragraphA_article"], content["paragraphB_article"]) == ("Harbour Bridge", "River Ferry")


def test_every_field_comes_back_as_it_was_typed(annotation):
    content = complete_content(
        valid_comment="  blanks stay \n\n",
        question3="a gap before it",
        question10="the last",
        question_comment="עברית 🌉 é",
        contradict_comment="<script>alert(1)</script>",
        origin_confirmed="1",
    )
    result = save(annotation, content)
    assert (result.is_saved, result.version, result.standing) == (True, 1, Standing.HELD)
    assert not differing_fields(stored(annotation), content)


def test_it_keeps_the_order_of_choosing_semantic_types(annotation):
    save(annotation, complete_content(**{"Contradict type I": ["NUM"]}))
    save(annotation, complete_content(**{"Contradict type I": ["DATE", "NUM"]}))
    assert stored(annotation)["Contradict type I"] == ["NUM", "DATE"]


def test_a_removed_question_is_gone_and_the_rest_keep_their_text(annotation):
    save(annotation, complete_content(question2="second", question3="third"))
    save(annotation, complete_content(question2="third"))
    assert [stored(annotation)[f"question{n}"] for n in (2, 3)] == ["third", ""]


def test_only_rows_that_changed_are_written(annotation):
    save(annotation, complete_content())
    with CaptureQueriesContext(connection) as queries:
        save(annotation, complete_content(valid_comment="one word"))
    parts = ('"annotation_passage"', '"annotation_question"', '"annotation_contradictiontype"')
    writing = [q["sql"] for q in queries if q["sql"].startswith(("UPDATE", "INSERT", "DELETE"))]
    assert writing
    assert [sql for sql in writing if any(table in sql.split(" ", 3)[:3] for table in parts)] == []


def test_a_save_without_a_change_keeps_the_version(annotation):
    save(annotation, complete_content())
    assert save(annotation, complete_content()).version == 1
    assert DraftSave.objects.count() == 1


def test_a_stale_save_is_refused_and_both_versions_are_kept(annotation):
    save(annotation, complete_content(valid_comment="from tab 1"), base=0, tab="1")
    result = save(annotation, complete_content(valid_comment="from tab 2"), base=0, tab="2")
    assert not result.is_saved
    assert (result.version, result.content["valid_comment"]) == (1, "from tab 1")
    assert stored(annotation)["valid_comment"] == "from tab 1"
    refused = DraftSave.objects.get(version=None)
    assert (refused.tab, refused.content["valid_comment"]) == ("2", "from tab 2")


def test_a_stale_save_of_the_same_text_is_no_conflict(annotation):
    save(annotation, complete_content(), base=0)
    assert save(annotation, complete_content(), base=0).is_saved


def test_the_same_operation_again_gets_the_first_answer(annotation):
    operation = uuid4()
    first = save(annotation, complete_content(), operation=operation, base=0)
    again = save(annotation, complete_content(), operation=operation, base=0)
    assert (again.is_saved, again.version) == (first.is_saved, first.version) == (True, 1)
    stale = uuid4()
    assert not save(annotation, complete_content(valid_comment="x"), operation=stale, base=0).is_saved
    assert not save(annotation, complete_content(valid_comment="x"), operation=stale, base=0).is_saved
    assert DraftSave.objects.count() == 2


def test_a_save_from_before_the_form_had_a_field_is_known_again(annotation):
    operation, content = uuid4(), complete_content()
    first = save(annotation, content, operation=operation, base=0)
    DraftSave.objects.update(content={name: said for name, said in content.items() if name != "question_comment"})
    again = save(annotation, content, operation=operation, base=0)
    assert (again.is_saved, again.version, again.content) == (True, first.version, first.content)


def test_other_text_under_an_operation_from_the_browsers_history_is_not_lost(annotation):
    operation = uuid4()
    save(annotation, complete_content(), operation=operation, base=0)
    result = save(annotation, complete_content(valid_comment="written on the old page"), operation=operation, base=0)
    assert not result.is_saved
    assert DraftSave.objects.get(version=None).content["valid_comment"] == "written on the old page"


def test_an_operation_of_another_draft_is_refused(annotation, other_annotator):
    TagFactory()
    other = claim(other_annotator)
    operation = uuid4()
    save(annotation, complete_content(), operation=operation)
    with pytest.raises(Refusal, match="another tag"):
        save(other, complete_content(), operation=operation)


def test_old_accepted_saves_are_pruned_and_refused_ones_kept_longer(annotation):
    for number in range(KEPT_SAVES * 2):
        save(annotation, complete_content(valid_comment=str(number)))
        save(annotation, complete_content(valid_comment=f"stale {number}"), base=0)
    assert DraftSave.objects.exclude(version=None).count() == KEPT_SAVES
    assert DraftSave.objects.filter(version=None).count() == KEPT_SAVES * 2 < KEPT_REFUSED


def test_a_draft_is_saved_after_the_lease_lapsed_and_another_annotator_has_the_tag(annotation, other_annotator):
    let_lapse(annotation)
    assert claim(other_annotator).tag == annotation.tag
    result = save(annotation, complete_content())
    assert result.is_saved
    assert result.standing == Standing.LOST


def test_nobody_saves_into_the_draft_of_another(annotation, other_annotator):
    with pytest.raises(Forbidden):
        save_draft(
            annotation=annotation,
            annotator=other_annotator,
            content=complete_content(),
            base_version=0,
            operation=uuid4(),
        )


def test_a_submitted_annotation_takes_no_save(annotation):
    assert submit(annotation).is_submitted
    with pytest.raises(Refusal, match="cannot be changed here"):
        save(annotation, complete_content(valid_comment="late"))


@pytest.mark.parametrize(
    ("field", "value", "status", "words"),
    [
        ("valid_comment", "a\0b", 400, "Comment on validity"),
        ("question2", "half \ud83d", 400, "Question 2"),
        ("paragraphA_information", "x" * 200_001, 413, "Passage 1, as found"),
        ("paragraphA_information", "🌉" * 60_000, 413, "200 kB"),
        ("confidence", "6", 400, "Confidence"),
        ("Contradict type I", ["SOUP"], 400, "Semantic Type"),
        ("Contradict type I", "DATE", 400, "Semantic Type"),
        ("valid_comment", 7, 400, "not text"),
        ("question11", "one too many", 400, "question11"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_the_field_named(annotation, field, value, status, words):
    save(annotation, complete_content())
    with pytest.raises(Refusal) as refused:
        save(annotation, complete_content() | {field: value})
    assert refused.value.status == status
    assert words in refused.value.message
    assert not differing_fields(stored(annotation), complete_content())


@pytest.mark.parametrize("raw", [None, [], "text", 3])
def test_what_is_no_form_is_refused(annotation, raw):
    with pytest.raises(Refusal):
        save(annotation, raw)


def test_missing_fields_are_empty_fields(annotation):
    save(annotation, {"valid_comment": "only this"})
    assert not differing_fields(stored(annotation), empty_content() | {"valid_comment": "only this"})
