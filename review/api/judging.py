"""For reviewers and adjudicators: judge the next response, take back, submit; adjudicate.

Each address answers from the person's own slots alone, as the judging page does.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms
from rest_framework.response import Response

from annotation.releases.reading import note_instances_read
from core.api.doors import Door, gives, lists, takes
from core.api.forms import body_of, filled_in
from core.api.serializers import ReasonIn
from core.lists.filters import Filters
from core.lists.pages import Window

from ..forms import DecideForm, JudgmentForm
from ..models import Adjudication, Item, Judgment, Saw
from ..models.people import ADJUDICATORS, JUDGE
from ..models.subjects import RESPONSE
from ..rounds import adjudication as rules
from ..rounds.final_verdicts.pairing import complete_pairs
from ..rounds.judgments import find_slot, record_judgment, submit_judgments, take_back
from ..rounds.questionnaires import questionnaire_of
from ..rounds.rounds import hidden_from, is_finished, skip_training
from ..rounds.turns.seen import record_seen
from ..rounds.turns.turns import find_reviewer, next_slots, progress, rounds_of
from .serializers import AdjudicationOut, GivenOut, MineOut, OwnRoundOut, SlotOut, WholeAdjudicationOut


class Asked:
    """The subject of a judgment, for programs: a response as the page shows it, or the subject of another
    questionnaire.
    """

    def __init__(self, item: Item, questionnaire: str, judgment: UUID | None = None):
        self.judgment, self.form, of = judgment, questionnaire, questionnaire_of(questionnaire)
        self.shown = of.texts(item)
        self.subject = of.describe(item)
        self.questions = of.questions(item) if of.asks_programs else []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.shown, name)


class JudgeDoor(Door):
    roles = (JUDGE,)


class OwnRounds(JudgeDoor):
    @gives(OwnRoundOut(many=True))
    def get(self, request: Any) -> Response:
        """The rounds in which you judge: open ones first, by deadline, then newest first."""
        own = rounds_of(request.user)
        for reviewer in own:
            reviewer.so_far = progress(reviewer)  # type: ignore[attr-defined]
        return Response(OwnRoundOut(own, many=True).data)


class NextResponse(JudgeDoor):
    @takes(None, SlotOut, or_none=True)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Response:
        """The response to judge next, which is yours for a limited time; 204 if there is none."""
        reviewer = find_reviewer(person=request.user, round_key=key)
        slots = next_slots(reviewer)
        if not slots:
            return Response(status=204)
        if slots[0].item.response_id:
            note_instances_read([slots[0].item.response.instance], reader=request.user)
        return Response(SlotOut(Asked(slots[0].item, reviewer.round.questionnaire, slots[0].key)).data)


class OneJudgment(JudgeDoor):
    @takes(body_of(JudgmentForm, without=("showing",)), GivenOut)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Response:
        """Give a verdict, or say why you cannot judge."""
        values = filled_in(JudgmentForm, sent)
        values.pop("showing")
        slot = find_slot(person=request.user, key=key)
        return Response(GivenOut(record_judgment(slot=slot, reviewer=request.user, **values)).data)


class JudgmentTakeBack(JudgeDoor):
    @takes(None, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Response:
        """Take a judgment back, until it counts."""
        take_back(judgment=find_slot(person=request.user, key=key), reviewer=request.user)
        return Response(status=204)


class OwnJudgments(JudgeDoor):
    @lists(MineOut)
    def get(self, request: Any, key: UUID) -> Response:
        """Your judgments in a round, latest first; with model and final verdict once the round is finished."""
        reviewer = find_reviewer(person=request.user, round_key=key)
        finished = is_finished(reviewer.round)
        questionnaire = questionnaire_of(reviewer.round.questionnaire)
        related = questionnaire.read_in_lists
        if finished and questionnaire.judges == RESPONSE:
            related += ["item__response__model", "item__final_verdict"]
        own = Judgment.objects.given().filter(round=reviewer.round, reviewer=request.user).select_related(*related)

        def note(shown: list[Judgment]) -> None:
            if finished:
                seen = [each.item for each in shown if hasattr(each.item, "final_verdict")]
                record_seen(person=request.user, what=Saw.VERDICTS, items=seen)

        return self.page(own, "-judged_at", "-pk", gives=MineOut, seen=note, context={"is_finished": finished})


class SubmitJudgments(JudgeDoor):
    @takes(None, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Response:
        """Let your judgments of a round count now."""
        submit_judgments(reviewer=find_reviewer(person=request.user, round_key=key))
        return Response(status=204)


class SkipTraining(JudgeDoor):
    @takes(None, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Response:
        """Skip the training set, if that is allowed."""
        skip_training(reviewer=find_reviewer(person=request.user, round_key=key))
        return Response(status=204)


# --- Adjudicating -------------------------------------------------------------------------------------------------


class AdjudicateDoor(Door):
    """A reviewer is admitted if reviewers adjudicate together; what they may see is decided row by row."""

    roles = ADJUDICATORS


class AdjudicationFilters(Filters):
    show = forms.ChoiceField(choices=[("waiting", "waiting"), ("decided", "decided")], initial="waiting")


class Adjudications(AdjudicateDoor):
    @lists(AdjudicationOut, AdjudicationFilters)
    def get(self, request: Any) -> Response:
        """Disagreements that wait for you, longest first, or the decided ones."""
        # Not of rounds in which this person judges, as on the page.
        complete_pairs(without=hidden_from(request.user))
        show = self.filters(AdjudicationFilters).chosen["show"]
        window: Window = (rules.decided_window if show == "decided" else rules.waiting_window)(request.user)

        def note(shown: list[Adjudication]) -> None:
            record_seen(person=request.user, what=Saw.VERDICTS, items=[each.item for each in shown])

        return self.page(
            window.rows, gives=AdjudicationOut, window=window, fetch=rules.listed_adjudications, seen=note
        )


class NextAdjudication(AdjudicateDoor):
    @takes(None, WholeAdjudicationOut, or_none=True)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """The disagreement that has waited longest, which is yours for a limited time; 204 if none waits."""
        complete_pairs(without=hidden_from(request.user))
        found = rules.next_adjudication(person=request.user)
        return _whole(request, found.key) if found else Response(status=204)


def _whole(request: Any, key: UUID) -> Response:
    found = rules.open_adjudication(person=request.user, key=key)
    asked = Asked(found.item, found.round.questionnaire)
    for name in ("shown", "subject", "questions"):
        setattr(found, name, getattr(asked, name))
    found.sides = rules.sides_of(found)  # type: ignore[attr-defined]
    return Response(WholeAdjudicationOut(found).data)


class OneAdjudication(AdjudicateDoor):
    @gives(WholeAdjudicationOut)
    def get(self, request: Any, key: UUID) -> Response:
        """A disagreement with the response and the judgments, which you have seen from then on."""
        return _whole(request, key)

    @takes(body_of(DecideForm), WholeAdjudicationOut)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Response:
        """Decide the final verdict, with a reason."""
        found = rules.find_adjudication(person=request.user, key=key)
        rules.adjudicate(adjudication=found, person=request.user, **filled_in(DecideForm, sent))
        return _whole(request, key)


class AdjudicationReopen(AdjudicateDoor):
    @takes(ReasonIn, WholeAdjudicationOut)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Response:
        """Reopen a decided one. Reports show the number reopened."""
        found = rules.find_adjudication(person=request.user, key=key)
        rules.reopen(adjudication=found, person=request.user, reason=sent["reason"])
        return _whole(request, key)
