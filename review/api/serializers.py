"""Rounds, responses to judge, judgments and adjudications for programs. None names a model."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.api.doors import Sent
from core.api.serializers import OneOf, Username
from judging.protocol.verdicts import Verdict

from ..models import AdjudicationCause, RoundState
from ..reports.registry import all_reports
from ..rounds.questionnaires import QUESTIONNAIRES


class RoundOut(serializers.Serializer):
    """A judging round."""

    id = serializers.IntegerField(source="pk")
    key = serializers.UUIDField()
    name = serializers.CharField()
    state = serializers.ChoiceField(RoundState.choices)
    judgments_each = serializers.IntegerField()
    deadline = serializers.DateField(allow_null=True)
    created_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class DeadlineIn(Sent):
    """The deadline of a round; null removes it."""

    deadline = serializers.DateField(allow_null=True)


class RoundProgressOut(serializers.Serializer):
    """The progress of a round. Judgments that can still be taken back do not count yet."""

    responses = serializers.IntegerField()
    judgments = serializers.IntegerField()
    complete = serializers.IntegerField()
    agreed = serializers.IntegerField()
    open_disagreements = serializers.IntegerField()
    adjudicated = serializers.IntegerField()
    final = serializers.IntegerField()


class WholeRoundOut(RoundOut):
    """A round with its progress; null while you judge in it."""

    progress = RoundProgressOut(allow_null=True)


class OwnRoundOut(serializers.Serializer):
    """A round in which you judge, and your progress."""

    key = serializers.UUIDField(source="round.key")
    name = serializers.CharField(source="round.name")
    state = serializers.ChoiceField(RoundState.choices, source="round.state")
    deadline = serializers.DateField(source="round.deadline", allow_null=True)
    is_paused = serializers.SerializerMethodField()
    judged = serializers.IntegerField(source="so_far.judged")
    left = serializers.IntegerField(source="so_far.left")

    def get_is_paused(self, reviewer: Any) -> bool:
        return reviewer.paused_at is not None


class TextOut(serializers.Serializer):
    """A passage or answer; `passage` is 1 or 2, or 0 if it belongs to neither."""

    passage = serializers.IntegerField()
    name = serializers.CharField()
    text = serializers.CharField()


class OfferedOut(serializers.Serializer):
    verdict = serializers.ChoiceField(Verdict.choices)
    rule = serializers.CharField()


class ShownOut(serializers.Serializer):
    """Everything that a verdict needs, without anything that reveals the model."""

    question = serializers.CharField()
    passages = TextOut(many=True)
    answers = TextOut(many=True)
    prompt = serializers.CharField()
    text = serializers.CharField()
    offered = OfferedOut(many=True)


class QuestionOut(serializers.Serializer):
    """A question of a questionnaire. If the answer is the numbers of positions in the text, from 0, `spots` is their
    total and `most` the maximum that can be given.
    """

    name = serializers.CharField()
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    many = serializers.BooleanField()
    spots = serializers.IntegerField()
    most = serializers.IntegerField()
    required = serializers.BooleanField()
    only_if = serializers.DictField(allow_null=True)


class SlotOut(ShownOut):
    """The next item to judge. Send the verdict to `judgments/KEY/`; in a round of another questionnaire than the
    three verdicts, the answers to its `questions` about the `subject`.
    """

    judgment = serializers.UUIDField()
    # The name that programs know.
    form = OneOf(QUESTIONNAIRES.keys)
    subject = serializers.DictField()
    questions = QuestionOut(many=True)


class JudgmentOut(serializers.Serializer):
    """Your judgment. `known` is the verdict with its explanation if the response belongs to the training set."""

    key = serializers.UUIDField()
    verdict = serializers.ChoiceField(Verdict.choices, allow_blank=True)
    answers = serializers.DictField(allow_null=True)
    cannot_judge = serializers.CharField()
    comment = serializers.CharField()
    judged_at = serializers.DateTimeField(allow_null=True)
    undo_until = serializers.DateTimeField(allow_null=True)


class KnownOut(serializers.Serializer):
    verdict = serializers.ChoiceField(Verdict.choices)
    explanation = serializers.CharField()


class GivenOut(JudgmentOut):
    known = serializers.SerializerMethodField()

    @extend_schema_field(KnownOut(allow_null=True))
    def get_known(self, judgment: Any) -> dict[str, str] | None:
        known = judgment.item.known if judgment.item.kind == "training" else None
        return {"verdict": known.verdict, "explanation": known.explanation} if known else None


class MineOut(JudgmentOut):
    """One of your judgments; with model and final verdict once the round is finished."""

    question = serializers.CharField(source="item.title")
    model = serializers.SerializerMethodField()
    final_verdict = serializers.SerializerMethodField()

    def get_model(self, judgment: Any) -> str | None:
        response = judgment.item.response
        return response.model.name if response and self.context["is_finished"] else None

    @extend_schema_field(serializers.ChoiceField(Verdict.choices, allow_null=True))
    def get_final_verdict(self, judgment: Any) -> str | None:
        found = getattr(judgment.item, "final_verdict", None) if self.context["is_finished"] else None
        return found.verdict if found else None


class AdjudicationOut(serializers.Serializer):
    """A disagreement, waiting or decided."""

    key = serializers.UUIDField()
    round = serializers.CharField(source="round.name")
    question = serializers.CharField(source="item.title")
    cause = serializers.ChoiceField(AdjudicationCause.choices)
    times_reopened = serializers.IntegerField()
    opened_at = serializers.DateTimeField()
    verdict = serializers.ChoiceField(Verdict.choices, allow_blank=True)
    answers = serializers.DictField(allow_null=True)
    adjudicated_at = serializers.DateTimeField(allow_null=True)
    adjudicator = Username()


class SideOut(serializers.Serializer):
    """One of the judgments, without the name of its author."""

    name = serializers.CharField()
    verdict = serializers.ChoiceField(Verdict.choices, allow_blank=True, allow_null=True)
    answers = serializers.DictField(allow_null=True)
    cannot_judge = serializers.CharField()
    comment = serializers.CharField()


class WholeAdjudicationOut(AdjudicationOut):
    """A disagreement with the response and the judgments, in random order. In a round of another questionnaire than
    the three verdicts, `shown` is empty except for its name, and `subject` and `questions` are as for judgments.
    """

    shown = ShownOut()
    subject = serializers.DictField()
    questions = QuestionOut(many=True)
    sides = SideOut(many=True)


class ReportOut(serializers.Serializer):
    name = OneOf(all_reports)
    label = serializers.CharField()
    about = serializers.CharField()
