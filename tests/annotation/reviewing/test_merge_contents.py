"""Two versions of a draft: what does not clash is merged without a question. `static/scripts/text/merge.js` keeps the
same rule: `tests/scripts/test_merge.mjs` runs these cases there."""

import json
from pathlib import Path

import pytest
from django.urls import reverse

from annotation.content.fields import empty_content, merge_contents
from annotation.content.rows import content_of
from annotation.desk.drafts.drafts import KEPT_SAVES
from annotation.models import Annotation
from tests.annotation.desk_helpers import claim, complete_content, save
from tests.factories import TagFactory

CASES = json.loads((Path(__file__).parents[1] / "merge_cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_rule(case):
    base, mine, theirs = (case[side] and empty_content() | case[side] for side in ("base", "mine", "theirs"))
    base = empty_content() if case["base"] == {} else base
    merge = merge_contents(base=base, mine=mine, theirs=theirs)
    assert {name: theirs[name] for name in merge.taken} == case["taken"]
    assert set(merge.clashing) == set(case["clashing"])
    assert merge.content == mine | case["taken"]


pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(annotator) -> Annotation:
    TagFactory()
    annotation = claim(annotator)
    save(annotation, complete_content())
    return annotation


def post(client, act: str, draft: Annotation, base: int, **changes):
    """As a page without script sends its form."""
    sent = complete_content(**changes) | {"base_version": base, "operation": "8a7a7df4-6d63-4a48-8d04-b4ba7a3b3c61"}
    return client.post(reverse(f"desk_{act}", args=[draft.pk]), sent)


@pytest.fixture
def client(sign_in, annotator):
    return sign_in(annotator)


def stored(draft: Annotation) -> dict:
    return content_of(Annotation.objects.get(pk=draft.pk))


def test_without_script_a_stale_save_merges_what_does_not_clash(client, draft):
    save(draft, complete_content(confidence="2"))
    response = post(client, "save", draft, 1, valid_comment="mine")
    assert response.status_code == 302
    assert (stored(draft)["confidence"], stored(draft)["valid_comment"]) == ("2", "mine")
    assert "together with what another tab or window had changed: Confidence." in client.get(response.url).text


def test_without_script_only_the_fields_that_clash_are_asked_for(client, draft):
    save(draft, complete_content(confidence="2", valid_comment="theirs"))
    response = post(client, "save", draft, 1, valid_comment="mine")
    assert response.status_code == 409
    assert [field.name for field, *_ in response.context["stale"]["clashing"]] == ["valid_comment"]
    assert [field.name for field in response.context["stale"]["taken"]] == ["confidence"]
    # Saved as it is shown, neither side loses what the other left alone.
    assert response.context["fields"]["confidence"].value == "2"
    assert response.context["fields"]["valid_comment"].value == "mine"
    assert 'name="base_version" value="2"' in response.text
    assert stored(draft)["valid_comment"] == "theirs"


def test_without_script_a_stale_form_is_merged_but_not_submitted_unread(client, draft):
    save(draft, complete_content(confidence="2"))
    response = post(client, "submit", draft, 1, valid_comment="mine")
    assert response.status_code == 409
    assert "Check these fields, then save or submit again." in response.text
    assert response.context["fields"]["confidence"].value == "2"
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_where_the_first_version_is_no_longer_kept_every_difference_is_asked_for(client, draft):
    for number in range(KEPT_SAVES + 10):
        save(draft, complete_content(question_comment=f"{number}"))
    response = post(client, "save", draft, 1, valid_comment="mine")
    assert response.status_code == 409
    clashing = [field.name for field, *_ in response.context["stale"]["clashing"]]
    assert clashing == ["valid_comment", "question_comment"]
