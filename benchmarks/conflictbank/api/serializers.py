"""Facts and conflicts for programs."""

from typing import Any

from rest_framework import serializers

from ..models import Cause, CheckName, CheckOutcome, DropReason, FactState, Style


class EntityOut(serializers.Serializer):
    """A subject or an object."""

    key = serializers.CharField(help_text="Its id in Wikidata, where it is known.")
    name = serializers.CharField()
    description = serializers.CharField()
    aliases = serializers.ListField(child=serializers.CharField())
    types = serializers.ListField(child=serializers.CharField())
    is_living = serializers.BooleanField(allow_null=True)


class TrueObjectOut(serializers.Serializer):
    """An object that is, or was, true of a subject."""

    entity = EntityOut()
    rank = serializers.CharField()
    is_current = serializers.BooleanField()
    started = serializers.CharField()


class FactOut(serializers.Serializer):
    """A fact, and whether claims can be made of it."""

    key = serializers.UUIDField()
    relation = serializers.CharField()
    subject = EntityOut()
    object = EntityOut(allow_null=True)
    true_objects = TrueObjectOut(many=True, source="true_objects.all")
    state = serializers.ChoiceField(FactState.choices)
    reason = serializers.ChoiceField(DropReason.choices, allow_blank=True)
    licence = serializers.CharField(source="file.licence", allow_blank=True)


class CheckOut(serializers.Serializer):
    """A check of evidence."""

    name = serializers.ChoiceField(CheckName.choices)
    outcome = serializers.ChoiceField(CheckOutcome.choices)
    component = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    threshold = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()


class EvidenceOut(serializers.Serializer):
    """The evidence of a model for a claim."""

    key = serializers.UUIDField()
    model = serializers.CharField(source="model.name")
    text = serializers.CharField(source="used_text")
    ends_early = serializers.BooleanField()
    overruled = serializers.CharField(help_text="Why it counts although a check failed.")
    checks = CheckOut(many=True, source="checks.all")


class ClaimOut(serializers.Serializer):
    """A claim: the fact, or one that conflicts with it and is made to mislead."""

    key = serializers.UUIDField()
    cause = serializers.ChoiceField(Cause.choices)
    text = serializers.CharField()
    style = serializers.ChoiceField(Style.choices)
    made_to_mislead = serializers.SerializerMethodField()
    evidence = EvidenceOut(many=True, source="evidence.all")

    def get_made_to_mislead(self, claim: Any) -> bool:
        return not claim.is_true


class ConflictOut(serializers.Serializer):
    """A fact with the object that replaces the true one, in one set of claims."""

    key = serializers.UUIDField()
    fact = serializers.UUIDField(source="fact.key")
    set = serializers.IntegerField(source="claim_set_id")
    seed = serializers.IntegerField(source="claim_set.seed")
    relation = serializers.CharField(source="template.relation")
    subject = serializers.CharField(source="fact.subject.name")
    object = serializers.CharField(source="object.name")
    replacement = serializers.CharField(source="replacement.name")
    span = serializers.ListField(child=serializers.CharField())
    semantic_description = serializers.CharField()
    set_aside = serializers.CharField(help_text="Why it is in no report and no new release.")
    claims = ClaimOut(many=True, source="claims.all")
