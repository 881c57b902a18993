"""Drafts by rule at the desk: offered for a field, counted where they were used, off with a setting."""

import json

import pytest
from django.urls import reverse

from annotation import taxonomy
from annotation.assisting.drafts import ANSWERS, QUESTION, SPANS, STATEMENTS
from annotation.models import Suggestion
from annotation.releases.files.work_export import work_record
from core.project import change_settings

from ..desk_helpers import complete_content, save, submit

CLASHING = {
    "paragraphA_information": "The northbound bridge opened to traffic on 9 May 1950.",
    "paragraphA_information_standalone": "The northbound bridge opened to traffic on 9 May 1950.",
    "paragraphB_information": "The northbound bridge was opened in 1948.",
    "paragraphB_information_standalone": "The northbound bridge was opened in 1948.",
    "wikitag_label_samepassage": "Different",
}


def post(client, name: str, draft, **sent):
    return client.post(reverse(name, args=[draft.pk]), json.dumps(sent), content_type="application/json")


def drafted(client, draft) -> dict[str, str]:
    return post(client, "desk_assist", draft, content=complete_content(**CLASHING)).json()["drafts"]


def test_the_desk_gets_the_drafts_of_every_field(draft, anna):
    assert set(drafted(anna, draft)) == {*STATEMENTS, *SPANS, QUESTION, *ANSWERS}


def test_the_semantic_type_is_suggested_from_drafted_spans_too(draft, anna):
    content = complete_content(**CLASHING, **dict.fromkeys(SPANS, ""))
    suggested = post(anna, "desk_assist", draft, content=content).json()["suggestions"]
    assert suggested[taxonomy.SEMANTIC_TYPE.key] == "DATE"
    written = post(anna, "desk_assist", draft, content=content | {SPANS[0]: "The northbound bridge"}).json()
    assert suggested != written["suggestions"]


def test_a_project_can_do_without_drafts(draft, anna, admin):
    change_settings(admin=admin, suggestions_on=False)
    assert drafted(anna, draft) == {}


@pytest.mark.parametrize("wrong", [{"suggested": ""}, {"suggested": "x" * 401}, {"field": "valid_comment"}])
def test_only_what_can_be_a_draft_is_recorded(draft, anna, wrong):
    sent = {"field": QUESTION, "suggested": "When was it opened?", "outcome": "accepted"} | wrong
    assert post(anna, "desk_suggestion", draft, **sent).status_code == 400
    assert not Suggestion.objects.exists()


def test_a_used_draft_counts_as_suggested_until_it_is_edited(draft, anna):
    texts = drafted(anna, draft)
    for name in (*SPANS, QUESTION):
        post(anna, "desk_suggestion", draft, field=name, suggested=texts[name], outcome="accepted")
    post(anna, "desk_suggestion", draft, field=ANSWERS[0], suggested=texts[ANSWERS[0]], outcome="own")
    written = dict(
        zip((*SPANS, QUESTION), (texts[SPANS[0]], "The northbound bridge", f"{texts[QUESTION]} Say it."), strict=True)
    )
    content = complete_content(**CLASHING, **written)
    assert submit(draft, content).is_submitted
    draft.refresh_from_db()
    made = {row["field"]: row for row in draft.machine_made}
    assert set(made) == {SPANS[0], QUESTION}
    assert made[SPANS[0]] == {"field": SPANS[0], "model": "rule", "characters": 10, "as_drafted": 10}
    assert 0 < made[QUESTION]["as_drafted"] < made[QUESTION]["characters"]
    assert {row["field"]: row["outcome"] for row in work_record(draft)["suggestions"]}[ANSWERS[0]] == "own"


def test_a_draft_that_was_not_accepted_is_no_content(draft, anna):
    save(draft, complete_content(**CLASHING) | dict.fromkeys(SPANS, ""))
    drafted(anna, draft)
    page = anna.get(reverse("desk_annotation", args=[draft.pk])).text
    assert "9 May 1950</textarea>" not in page
    draft.refresh_from_db()
    assert draft.draft.content[SPANS[0]] == ""
