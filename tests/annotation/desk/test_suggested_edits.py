"""A reviewer suggests a new text for a field, which changes nothing by itself; the annotator takes or declines it."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.content.rows import content_of
from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.decisions import return_annotation
from annotation.models import Annotation, DraftSave, SuggestedEdit
from core.models import Event, Role
from tests.annotation.desk_helpers import claim, save, submit
from tests.annotation.reviewing.test_annotation_reviews import submit_annotation
from tests.conftest import make_person
from tests.factories import TagFactory

HTMX = {"HX-Request": "true"}
STANDALONE = "paragraphA_information_standalone"


@pytest.fixture
def submitted(annotator) -> Annotation:
    TagFactory(article__title="Harbour Bridge", article__wiki__is_allowed=False)
    annotation = claim(annotator)
    submit(annotation)
    annotation.refresh_from_db()
    return annotation


@pytest.fixture
def look(reviewer, sign_in):
    return sign_in(reviewer)


@pytest.fixture
def desk(annotator, sign_in):
    return sign_in(annotator)


def suggest(client, annotation, field=STANDALONE, text="The Harbour Bridge opened in 1903.", **more):
    sent = {"field": field, "text": text, "seen_version": annotation.version} | more
    headers = more.pop("headers", {})
    return client.post(reverse("reviews_suggest", args=[annotation.pk]), sent, headers=headers)


def decide(client, annotation, edit, state):
    address = reverse("desk_edit", args=[annotation.pk, edit.pk])
    return client.post(address, json.dumps({"state": state}), content_type="application/json")


def returned(annotation, reviewer) -> SuggestedEdit:
    return_annotation(annotation=annotation, reviewer=reviewer, message="Shorter, please.")
    annotation.refresh_from_db()
    return SuggestedEdit.objects.get()


# --- suggesting --------------------------------------------------------------------------------------------------


def test_a_suggestion_is_kept_with_its_reason_and_changes_nothing(submitted, look, reviewer):
    before = content_of(submitted)
    assert suggest(look, submitted, reason="The applause is no part of it.").status_code == 302
    edit = SuggestedEdit.objects.get()
    assert (edit.field, edit.text, edit.before) == (
        STANDALONE,
        "The Harbour Bridge opened in 1903.",
        before[STANDALONE],
    )
    assert (edit.state, edit.suggested_by, edit.reason) == ("open", reviewer, "The applause is no part of it.")
    submitted.refresh_from_db()
    assert content_of(submitted) == before
    event = Event.objects.about(submitted).last()
    assert (event.actor, event.label, event.message) == (reviewer, "suggested an edit", edit.reason)


def test_the_page_shows_it_at_its_field_as_a_word_diff_and_says_that_it_goes_along(submitted, look):
    shown = look.get(reverse("reviews_annotation", args=[submitted.pk])).text
    assert f'name="field" value="{STANDALONE}"' in shown
    fragment = suggest(look, submitted, headers=HTMX).text
    assert "1903<del> to great applause</del>." in fragment
    assert "1 suggested edit goes with it, at its field." in fragment
    shown = look.get(reverse("reviews_annotation", args=[submitted.pk])).text
    assert "1 suggested edit goes with it" in shown
    assert "Withdraw" in shown


def test_suggesting_again_replaces_ones_own_and_leaves_the_others(submitted, look, other_reviewer, sign_in):
    suggest(look, submitted)
    suggest(look, submitted, text="The bridge opened in 1903.")
    suggest(sign_in(other_reviewer), submitted, text="It opened.")
    assert sorted(SuggestedEdit.objects.values_list("text", flat=True)) == [
        "It opened.",
        "The bridge opened in 1903.",
    ]


def test_it_is_withdrawn_by_its_reviewer_alone(submitted, look, other_reviewer, sign_in):
    suggest(look, submitted)
    address = reverse("reviews_withdraw", args=[submitted.pk, SuggestedEdit.objects.get().pk])
    assert sign_in(other_reviewer).post(address).status_code == 403
    assert "0" not in look.post(address, headers=HTMX).text.split("edits-along")[1].split("</p>")[0]
    assert not SuggestedEdit.objects.exists()


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"field": "wikitag_label_valid", "text": "Invalid"}, 400),
        ({"field": "nonsense"}, 400),
        ({"field": "question2", "text": "When?"}, 400),
        ({"text": "The Harbour Bridge opened in 1903 to great applause. "}, 400),
        ({"text": "a\0b"}, 400),
        ({"reason": "a\0b"}, 400),
        ({"text": "x" * 300_000}, 413),
        ({"seen_version": 0}, 409),
        ({"seen_version": "x"}, 409),
    ],
)
def test_what_cannot_be_suggested_is_refused(submitted, look, more, status):
    assert suggest(look, submitted, **more).status_code == status
    assert not SuggestedEdit.objects.exists()


def test_only_while_it_waits_and_not_for_ones_own_or_imported_work(submitted, look, reviewer, annotator, sign_in):
    return_annotation(annotation=submitted, reviewer=reviewer, message="?")
    submitted.refresh_from_db()
    assert suggest(look, submitted).status_code == 409
    both = make_person("bea", Role.REVIEWER, Role.ANNOTATOR)
    assert suggest(sign_in(both), submit_annotation(both)).status_code == 403
    assert suggest(look, submit_annotation(None)).status_code == 409
    assert not SuggestedEdit.objects.exists()


def test_who_annotates_the_same_tag_neither_reads_nor_suggests(annotator, look, sign_in, admin):
    tag = TagFactory(annotations_needed=2)
    first = submit_annotation(annotator, tag)
    both = make_person("bea", Role.REVIEWER, Role.ANNOTATOR)
    assign_tag(tag=tag, annotator=both, admin=admin)
    assert suggest(sign_in(both), first, field="question1", text="When?").status_code == 404
    edit = SuggestedEdit.objects.create(annotation=first, field="question1", text="When?", suggested_by=both)
    assert decide(sign_in(both), first, edit, "taken").status_code == 404


# --- taking and declining ----------------------------------------------------------------------------------------


def test_the_reopened_form_shows_it_at_its_field(submitted, look, desk, reviewer):
    suggest(look, submitted, reason="Shorter.")
    edit = returned(submitted, reviewer)
    shown = desk.get(reverse("desk_annotation", args=[submitted.pk])).text
    assert f'data-edit="{edit.pk}" data-text="{edit.text}"' in shown
    assert "<strong>rita</strong> suggests: Shorter." in shown
    assert '<details class="step" id="step-2" data-step="2" open>' in shown
    assert "1 suggested edit is shown at its field" in shown


def test_taking_counts_once_the_saved_draft_reads_so(submitted, look, desk, reviewer):
    suggest(look, submitted)
    edit = returned(submitted, reviewer)
    refused = decide(desk, submitted, edit, "taken")
    assert (refused.status_code, SuggestedEdit.objects.get().state) == (409, "open")
    save(submitted, content_of(submitted) | {STANDALONE: edit.text})
    assert decide(desk, submitted, edit, "taken").json() == {"state": "taken"}
    assert decide(desk, submitted, edit, "taken").status_code == 200
    assert decide(desk, submitted, edit, "declined").status_code == 409
    edit.refresh_from_db()
    assert edit.decided_at is not None
    event = Event.objects.about(submitted).last()
    assert (event.label, event.after["suggested_by"]) == ("took a suggested edit", "rita")
    submit(submitted, content_of(submitted))
    assert ">Taken</span>" in look.get(reverse("reviews_annotation", args=[submitted.pk])).text


def test_declining_leaves_the_text_and_the_reviewer_sees_it(submitted, look, desk, reviewer):
    suggest(look, submitted)
    edit, before = returned(submitted, reviewer), content_of(submitted)
    assert decide(desk, submitted, edit, "declined").status_code == 200
    submitted.refresh_from_db()
    assert content_of(submitted) == before
    assert ">Declined</span>" in look.get(reverse("reviews_annotation", args=[submitted.pk])).text
    assert 'data-edit="' not in desk.get(reverse("desk_annotation", args=[submitted.pk])).text


def test_a_question_that_moved_can_still_be_taken(submitted, look, desk, reviewer):
    suggest(look, submitted, field="question1", text="Was the bridge open in 1900?")
    edit = returned(submitted, reviewer)
    save(submitted, content_of(submitted) | {"question1": "First?", "question2": edit.text})
    assert decide(desk, submitted, edit, "taken").status_code == 200


@pytest.mark.parametrize("state", ["open", "", None, 7, "accepted"])
def test_it_is_taken_or_declined_and_nothing_else(submitted, look, desk, reviewer, state):
    suggest(look, submitted)
    assert decide(desk, submitted, returned(submitted, reviewer), state).status_code == 400


def test_it_is_decided_by_its_writer_alone_and_while_the_draft_is_open(
    submitted, look, desk, other_annotator, sign_in
):
    suggest(look, submitted)
    edit = SuggestedEdit.objects.get()
    assert decide(desk, submitted, edit, "declined").status_code == 409
    assert decide(sign_in(other_annotator), submitted, edit, "declined").status_code == 404
    assert SuggestedEdit.objects.get().state == "open"


def as_posted(annotation, **more) -> dict:
    values = {name: value for name, value in content_of(annotation).items() if value}
    return values | {"base_version": annotation.version, "operation": "6f7c9ac8-6a4e-4b8e-9a69-7d2c5b3e6f10"} | more


def test_without_script_a_button_takes_it_through_the_ordinary_save(submitted, look, desk, reviewer):
    suggest(look, submitted)
    edit = returned(submitted, reviewer)
    desk.post(reverse("desk_save", args=[submitted.pk]), as_posted(submitted, take_edit=edit.pk))
    submitted.refresh_from_db()
    assert content_of(submitted)[STANDALONE] == edit.text
    assert SuggestedEdit.objects.get().state == "taken"
    assert DraftSave.objects.filter(annotation=submitted, version=submitted.version).exists()


def test_without_script_a_stale_page_takes_nothing(submitted, look, desk, reviewer):
    suggest(look, submitted)
    edit = returned(submitted, reviewer)
    sent = as_posted(submitted, take_edit=edit.pk)
    save(submitted, content_of(submitted) | {STANDALONE: "Something else."})
    assert desk.post(reverse("desk_save", args=[submitted.pk]), sent).status_code == 409
    submitted.refresh_from_db()
    assert content_of(submitted)[STANDALONE] == "Something else."
    assert SuggestedEdit.objects.get().state == "open"


def test_without_script_a_button_declines_it(submitted, look, desk, reviewer):
    suggest(look, submitted)
    edit = returned(submitted, reviewer)
    desk.post(reverse("desk_save", args=[submitted.pk]), as_posted(submitted, decline_edit=edit.pk))
    assert SuggestedEdit.objects.get().state == "declined"
    other = desk.post(reverse("desk_save", args=[submitted.pk]), as_posted(submitted, decline_edit=999_999))
    assert other.status_code == 404


# --- what holds of every row -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        {"state": "accepted"},
        {"state": "taken"},
        {"decided_at": timezone.now()},
        {"before": "the same", "text": "the same"},
    ],
)
def test_the_database_refuses_what_is_no_suggestion(submitted, reviewer, values):
    with pytest.raises(IntegrityError), transaction.atomic():
        SuggestedEdit.objects.create(
            **{"annotation": submitted, "field": STANDALONE, "text": "new", "suggested_by": reviewer} | values
        )


def test_the_database_holds_one_open_suggestion_of_a_reviewer_for_a_field(submitted, reviewer):
    values = {"annotation": submitted, "field": STANDALONE, "suggested_by": reviewer}
    SuggestedEdit.objects.create(**values, text="one", state="declined", decided_at=timezone.now())
    SuggestedEdit.objects.create(**values, text="two")
    with pytest.raises(IntegrityError), transaction.atomic():
        SuggestedEdit.objects.create(**values, text="three")
