"""Fields of the API that can be null say so in its description."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.urls import reverse
from rest_framework import serializers
from rest_framework.fields import Field

from core.api.schema import schema

# Serializers of rows, and the model of the rows.
ROWS = {
    "AdjudicationOut": "review.Adjudication",
    "AnnotationOut": "annotation.Annotation",
    "AttemptOut": "core.DeliveryAttempt",
    "CallOut": "judging.Call",
    "CommentOut": "annotation.Comment",
    "DeliveryOut": "core.Delivery",
    "EventOut": "core.Event",
    "HarvestOut": "annotation.Harvest",
    "InstanceOut": "annotation.ReleasedInstance",
    "JudgmentOut": "review.Judgment",
    "ModelOut": "judging.LanguageModel",
    "PersonOut": "core.User",
    "PracticeAttemptOut": "annotation.PracticeAttempt",
    "ReleaseOut": "annotation.Release",
    "ResponseOut": "judging.Response",
    "ReviewOut": "annotation.Annotation",
    "RoundOut": "review.Round",
    "RunOut": "judging.Run",
    "SaidOut": "annotation.Comment",
    "TagOut": "annotation.Tag",
    "TemplateOut": "judging.PromptTemplate",
    "VerdictOut": "judging.ModelJudgment",
    "WebhookOut": "core.Webhook",
    "WorkOut": "annotation.Annotation",
}


def serializers_of(kind: type = serializers.Serializer) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield below
        yield from serializers_of(below)


def column(model: type[models.Model], source: str) -> models.Field | None:
    """The column that this path leads to; None if it is computed."""
    found = None
    for name in source.split("."):
        try:
            found = model._meta.pk if name == "pk" else model._meta.get_field(name.removesuffix("_id"))
        except FieldDoesNotExist:
            return None
        model = getattr(found, "related_model", None) or model
    return found


def may_be_null(model: type[models.Model], field: Field) -> bool:
    found = column(model, field.source or field.field_name)
    return isinstance(found, models.Field) and found.null


@pytest.mark.parametrize("name", ROWS)
def test_what_may_be_null_in_the_database_may_be_null_in_the_answer(name):
    reverse("home")  # loads the addresses
    schema()  # loads all serializers
    (kind,) = {each for each in serializers_of() if each.__name__ == name}
    model = apps.get_model(ROWS[name])
    wrong = [each for each, field in kind().fields.items() if may_be_null(model, field) and not field.allow_null]
    assert wrong == []
