"""Fields of the API with a closed set of values say so in its description, and answers are as described."""

from typing import Any

import jsonschema
import pytest
from django.apps import apps
from django.urls import reverse
from rest_framework import serializers
from rest_framework.fields import Field

from annotation.models import EvidenceKind, ReviewState
from annotation.tags.states import TagState
from core.api.schema import schema
from core.models import CoreAction, Event, Role
from judging.protocol.verdicts import Verdict
from tests.conftest import signed_in
from tests.core.addresses import API_PATTERNS, PATTERNS, let_in
from tests.core.api.test_api_nulls import ROWS, column, serializers_of
from tests.core.asking import address

ORDER = (Role.ANNOTATOR, Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN)
# Fields without a column, or with a column without choices.
OTHERS = {
    ("EventOut", "action"): CoreAction.values,
    ("EventOut", "subject_kind"): ["user", "tag", "release"],
    ("DeliveryOut", "event"): ["ping", "release.made", "round.finished"],
    ("WebhookOut", "events"): ["ping", "release.made", "round.finished"],
    ("TagOut", "state"): TagState.values,
    ("WorkOut", "review_state"): ReviewState.values,
    ("ReviewedOut", "review_state"): ReviewState.values,
    ("ReviewOut", "validity"): ["Valid", "Invalid", ""],
    ("ReviewOut", "confidence"): ["1", "2", "3", "4", "5", ""],
    ("TabOut", "kind"): EvidenceKind.values,
    ("EvidencePartOut", "rendering"): ["wiki", "wikitext", "paragraph", ""],
    ("ReleaseOut", "benchmark"): ["wikicontradict", "contradoc"],
    ("InstanceOut", "benchmark"): ["wikicontradict", "contradoc"],
    ("InstanceOut", "reasoning_type"): ["EXP", "IMP", ""],
    ("TemplateOut", "benchmark"): ["wikicontradict", "contradoc"],
    ("TemplateOut", "task"): ["answer", "contradoc-free"],
    ("TemplateOut", "verdicts"): Verdict.values,
    ("SlotOut", "form"): ["verdicts", "contradoc-find"],
    ("KnownOut", "verdict"): Verdict.values,
    ("MineOut", "final_verdict"): [*Verdict.values, None],
    ("ReportOut", "name"): ["table2", "contradoc-table4"],
}


def declared(name: str, field: str) -> list[Any]:
    """The values that a field of an answer can have by the description, none if it is open."""
    found = schema()["components"]["schemas"][name]["properties"][field]
    return found.get("items", found).get("enum", [])


def is_open(name: str, field: Field) -> bool:
    """Return whether a text has choices in its column and none in the description."""
    kept = column(apps.get_model(ROWS[name]), field.source or field.field_name)
    return bool(getattr(kept, "choices", None)) and not isinstance(field, serializers.ChoiceField)


@pytest.mark.parametrize("name", ROWS)
def test_a_column_with_choices_has_them_in_the_description(name):
    reverse("home")  # loads the addresses
    schema()  # loads all serializers
    (kind,) = {each for each in serializers_of() if each.__name__ == name}
    assert [each for each, field in kind().fields.items() if is_open(name, field)] == []


@pytest.mark.parametrize(("name", "field"), OTHERS)
def test_words_that_the_program_chooses_are_in_the_description(name, field):
    assert set(OTHERS[name, field]) <= set(declared(name, field))


@pytest.mark.django_db
def test_actions_of_all_apps_are_in_the_description(rows):
    assert set(Event.objects.values_list("action", flat=True)) <= set(declared("EventOut", "action"))


def described(name: str) -> dict[str, Any]:
    """The JSON that a GET of this address gives, as JSON Schema."""
    operation = (
        f"get{''.join(f'_{letter.lower()}' if letter.isupper() else letter for letter in view(name).__name__)}"
    )
    (found,) = [
        way["get"] for way in schema()["paths"].values() if way.get("get", {}).get("operationId") == operation
    ]
    return found["responses"]["200"]["content"]["application/json"]["schema"]


def view(name: str) -> Any:
    return PATTERNS[name].callback.cls


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name in API_PATTERNS if hasattr(view(name), "get")])
def test_answers_are_as_described(name, rows, actors):
    role = next(role for role in ORDER if let_in(name, role))
    answer = signed_in(actors[role]).get(address(name, rows))
    if answer.status_code == 200 and answer["Content-Type"] == "application/json":
        described_as = described(name) | {"components": schema()["components"]}
        jsonschema.Draft202012Validator(described_as).validate(answer.json())
