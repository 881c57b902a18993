"""For admins: rounds, files of judgments, reports.

An admin who judges in a round reads no numbers of it until it is finished, as on the pages.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response

from core.api.doors import LINES_ONLY, AdminDoor, JSONLines, gives, lists, takes
from core.api.forms import body_of, filled_in
from core.lists.filters import Filters, RowField
from core.models import User
from core.waking import wake

from ..files.exports import export_chunks
from ..files.judgment_exports import Within
from ..forms import RoundForm
from ..models import Round, RoundState
from ..reports.formats import as_json
from ..reports.registry import all_reports
from ..reports.scope import BY_INSTANCE, BY_UNIT
from ..rounds import rounds as rules
from ..rounds.final_verdicts.pairing import complete_pairs
from ..tasks import deal_round
from ..views.quality import quality_for
from ..views.reports import entry_of, scope_of
from .serializers import DeadlineIn, ReportOut, RoundOut, WholeRoundOut


class RoundFilters(Filters):
    """The filters of rounds, by their settings. A release is given by its number, other rows by their `id`."""

    run = RowField(label="The id of a run whose responses are judged")
    release = RowField(label="The number of a release")
    model = RowField(label="The id of a model of the runs")
    template = RowField(label="The id of a prompt of the runs")
    state = forms.ChoiceField(choices=RoundState.choices)

    def among(self, rounds: QuerySet[Round], reader: User) -> QuerySet[Round]:
        chosen = self.chosen
        if any(chosen[name] != "" for name in ("run", "release", "model", "template")):
            # Finding a round by its subjects would reveal whose responses it is about.
            rounds = rounds.exclude(pk__in=rules.hidden_from(reader).order_by().values("pk"))
        by = {"run": Q(runs=chosen["run"]), "model": Q(runs__language_models=chosen["model"])}
        by |= {"template": Q(runs__templates=chosen["template"]), "state": Q(state=chosen["state"])}
        by |= {"release": Q(release__number=chosen["release"]) | Q(runs__release__number=chosen["release"])}
        for name, condition in by.items():
            if chosen[name] != "":
                rounds = rounds.filter(pk__in=Round.objects.filter(condition).order_by().values("pk"))
        return rounds


class Rounds(AdminDoor):
    @lists(RoundOut, RoundFilters)
    def get(self, request: Any) -> Response:
        """All rounds, newest first. With a filter by their subjects, only those in which you do not judge now."""
        return self.page(self.filters(RoundFilters).among(Round.objects.all(), request.user), "-pk", gives=RoundOut)

    @takes(body_of(RoundForm), RoundOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Begin a round. Its responses are then dealt to the reviewers in the background."""
        round = rules.create_round(admin=request.user, **filled_in(RoundForm, sent))
        wake(deal_round, round.pk)
        return Response(RoundOut(rules.find_round(round.pk)).data, status=201)


def _whole(request: Any, pk: int) -> Response:
    round = rules.find_round(pk)
    found = None
    if not rules.is_hidden_from(round, request.user):
        complete_pairs(round=round)
        found = rules.round_progress(round)
    round.progress = found  # type: ignore[attr-defined]
    return Response(WholeRoundOut(round).data)


class OneRound(AdminDoor):
    @gives(WholeRoundOut)
    def get(self, request: Any, pk: int) -> Response:
        """A round with its progress."""
        return _whole(request, pk)


def _change(request: Any, pk: int, rule: Callable) -> Response:
    # Without its numbers: from the result of closing, people who judge in it could learn what others did.
    rule(round=rules.find_round(pk), admin=request.user)
    return Response(status=204)


class RoundDeadline(AdminDoor):
    @takes(DeadlineIn, RoundOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Set the day by which the round's work is to be done; null removes it."""
        round = rules.find_round(pk)
        rules.set_deadline(round=round, admin=request.user, deadline=sent["deadline"])
        return Response(RoundOut(rules.find_round(pk)).data)


class RoundClose(AdminDoor):
    @takes(None, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Close a round. All existing judgments count."""
        return _change(request, pk, rules.close_round)


class RoundReopen(AdminDoor):
    @takes(None, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Reopen a closed round."""
        return _change(request, pk, rules.reopen_round)


class ExportFilters(Filters):
    """The filters of an export. A release is given by its number, other rows by their `id`; `state` is the
    round's.
    """

    run = RowField(label="The id of a run")
    round = RowField(label="The id of a round")
    release = RowField(label="The number of a release")
    model = RowField(label="The id of the model that answered")
    template = RowField(label="The id of a prompt")
    state = forms.ChoiceField(choices=RoundState.choices, label="The state of the round")

    @property
    def within(self) -> Within:
        return Within(**{name: value for name, value in self.chosen.items() if value != ""})


class ExportDoor(AdminDoor):
    """An address that returns one of the exports, with all rows streamed."""

    renderer_classes = (JSONLines,)
    what: str

    @gives(OpenApiTypes.STR, LINES_ONLY, filters=ExportFilters)
    def get(self, request: Any) -> HttpResponseBase:
        within = self.filters(ExportFilters).within
        return self.lines(self.what, export_chunks(self.what, "jsonl", person=request.user, within=within))


class Judgments(ExportDoor):
    """Every judgment that counts, one per line, under pseudonyms; not of rounds in which you judge."""

    what = "judgments"


class FinalVerdicts(ExportDoor):
    """Every final verdict, one per line; not of rounds in which you judge."""

    what = "final-verdicts"


class Answers(ExportDoor):
    """Answers to other questionnaires than the three verdicts, one per line; not of rounds in which you judge."""

    what = "answers"


class FinalAnswers(ExportDoor):
    """The final answers to other questionnaires, one per line; not of rounds in which you judge."""

    what = "final-answers"


class Reports(AdminDoor):
    @gives(ReportOut(many=True))
    def get(self, request: Any) -> Response:
        """All reports."""
        found = [{"name": name, "label": each.label, "about": each.about} for name, each in all_reports().items()]
        return Response(ReportOut(found, many=True).data)


SCOPE = [
    OpenApiParameter(name, int, description=f"Only rows of this {name}.") for name in ("release", "run", "round")
]
INTERVALS = OpenApiParameter(
    "intervals",
    str,
    enum=[BY_UNIT, BY_INSTANCE],
    description="Whether intervals resample whole tags or sources, whose instances are related, or single instances.",
)


class OneReport(AdminDoor):
    @gives(OpenApiTypes.OBJECT, *SCOPE, INTERVALS)
    def get(self, request: Any, name: str) -> HttpResponse:
        """The numbers of a report, including agreement, with the notes of its page."""
        entry = entry_of(name, request.user)
        scope = scope_of(request)
        return HttpResponse(as_json(entry.report(scope)), content_type="application/json")


class PersonQuality(AdminDoor):
    @gives(OpenApiTypes.OBJECT)
    def get(self, request: Any, pk: int) -> HttpResponse:
        """The quality of one person's work: outcomes of reviews, agreement, minutes by step, weeks, and judging in
        closed rounds.
        """
        person = get_object_or_404(User, pk=pk)
        return HttpResponse(as_json(quality_for(request.user, person)), content_type="application/json")
