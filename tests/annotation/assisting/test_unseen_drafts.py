"""Fields filled from drafts by rule are not submitted before a person has looked at them, whichever page or program
submits.
"""

import json

import pytest
from django.urls import reverse

from annotation.models import Annotation, AnnotationState
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db
FILLED = ["question1", "question1_answer1", "Contradict type I"]


@pytest.fixture
def draft(annotator) -> Annotation:
    """A complete draft in which three fields were filled in and have not been in sight."""
    TagFactory()
    draft = claim(annotator)
    save(draft, complete_content(), unseen=FILLED)
    return draft


def problems(result) -> list[str]:
    return [problem.field for problem in result.problems if problem.is_unseen]


def test_they_are_kept_with_the_draft_and_keep_it_from_being_submitted(draft):
    result = submit(draft, complete_content())
    assert problems(result) == ["Contradict type I", "question1", "question1_answer1"]
    assert "has not been looked at" in result.problems[0].message
    draft.refresh_from_db()
    assert draft.state == AnnotationState.DRAFT


def test_those_seen_are_no_longer_in_the_way(draft):
    assert problems(submit(draft, complete_content(), seen=FILLED[:1])) == ["Contradict type I", "question1_answer1"]
    assert submit(draft, complete_content(), seen=FILLED).is_submitted


def test_a_save_from_another_page_that_knows_nothing_of_them_keeps_them(draft):
    save(draft, complete_content(confidence="4"))
    assert problems(submit(draft, complete_content(confidence="4")))
    save(draft, complete_content(confidence="3"), seen=FILLED)
    assert submit(draft, complete_content(confidence="3")).is_submitted


def test_a_field_with_a_text_of_its_own_needs_no_look(draft):
    content = complete_content(question1="When was it opened to traffic?")
    assert "question1" not in problems(submit(draft, content))


def test_an_invalid_tag_needs_none_of_these_fields(draft):
    content = complete_content(wikitag_label_valid="Invalid", valid_comment="Only a spelling.")
    assert submit(draft, content).is_submitted


def test_blank_and_unknown_fields_are_not_kept(annotator):
    TagFactory()
    draft = claim(annotator)
    save(draft, complete_content(), unseen=["valid_comment", "nonsense"])
    assert draft.draft.unseen is None


def test_the_page_knows_them_after_a_reload_and_its_submission_is_refused(draft, annotator, sign_in):
    client = sign_in(annotator)
    page = client.get(reverse("desk_annotation", args=[draft.pk])).text
    assert 'data-unseen="Contradict type I,question1,question1_answer1"' in page
    sent = {"operation": "0b9d2c1e-6f0a-4c53-9a4c-0d8f6a3a7b11", "tab": "a", "content": complete_content()}
    answer = client.post(
        reverse("desk_submit", args=[draft.pk]),
        json.dumps(sent),
        content_type="application/json",
        headers={"If-Match": f'"{draft.version}"', "X-Requested-With": "fetch"},
    )
    assert answer.status_code == 422, answer.content
    assert {each["field"] for each in answer.json()["problems"] if each["is_unseen"]} == set(FILLED)


def test_without_scripts_the_page_shows_them_and_takes_the_next_submission(draft, annotator, sign_in):
    client, address = sign_in(annotator), reverse("desk_submit", args=[draft.pk])
    form = complete_content() | {
        "base_version": draft.version,
        "operation": "0b9d2c1e-6f0a-4c53-9a4c-0d8f6a3a7b12",
    }
    refused = client.post(address, form)
    assert refused.status_code == 422
    assert '<input type="hidden" name="seen" value="question1">' in refused.text
    draft.refresh_from_db()
    form |= {"seen": FILLED, "operation": "0b9d2c1e-6f0a-4c53-9a4c-0d8f6a3a7b13", "base_version": draft.version}
    assert client.post(address, form).status_code == 302
    draft.refresh_from_db()
    assert draft.state == AnnotationState.SUBMITTED
