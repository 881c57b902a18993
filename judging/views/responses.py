"""For admins: models' responses and judge models' judgments, down to each attempt."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from annotation.desk.comments.conversations import conversation_about
from annotation.desk.visibility import note_opened
from annotation.releases.reading import note_instances_read
from core.languages import say
from core.lists.columns import Columns
from core.lists.pages import Window, page_of
from core.models import Role
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required

from ..catalogue.messages import correct_answers
from ..catalogue.purposes import load_subjects, purpose_of
from ..catalogue.readings import parts_at, position_of
from ..models import Attempt, Call, Mark, ModelJudgment, Response, Run, RunKind
from ..responses.comments import AboutResponse
from ..responses.judge_verdicts import VerdictFilters, comparable_runs, verdict_table, with_judgments
from ..responses.listing import FILTERS, ResponseFilters, judged, mark_counts, shown_responses, ticked_acts
from ..runs.blinding import names_models
from ..runs.visibility import calls_known_to
from .models import number

JUDGED = ("judged_response__instance", "judged_response__template", "judged_response__model")
OTHER_RUNS = 3
COLUMNS = Columns(2, template=say("Prompt"), model=say("Model"), response=say("Response"), judges=say("Judge models"))


@role_required(Role.ADMIN)
@names_models
@require_GET
def responses(request: SignedInRequest) -> HttpResponse:
    filters = ResponseFilters(request.GET)
    filters.offer_what_there_is()
    chosen, narrowed = filters.chosen, [name for name in FILTERS if filters.chosen[name]]
    # Beside another filter the numbers would be of something else.
    counts = mark_counts().now() if narrowed in ([], ["mark"]) else dict.fromkeys(Mark.values, "")
    page = page_of(request, filters.responses(), window=filters.window(), fetch=shown_responses)
    context = {
        "filters": filters,
        "chosen": chosen,
        "narrowed": narrowed,
        "page": page,
        "rows": judged(page),
        "columns": COLUMNS.chosen(request.GET),
        "acts": ticked_acts(),
        "marks": [(value, label, counts[value]) for value, label in Mark.choices],
        "run": Run.objects.filter(pk=chosen["run"]).first() if chosen["run"] else None,
    }
    return render(request, "judging/responses.html", context)


@role_required(Role.ADMIN)
@names_models
@require_GET
def response(request: SignedInRequest, key: UUID) -> HttpResponse:
    row = get_object_or_404(
        Response.objects.select_related("instance", "model", "template", "run", "variant", "attempt__call"), key=key
    )
    note_instances_read([row.instance], reader=request.user)
    context = {
        "response": row,
        "answers": correct_answers(row),
        "is_compared": row.template.what.is_judged,
        **readings_of(row),
        "judgments": row.model_judgments.select_related("model", "run", "attempt__call").order_by("pk"),
        "attempts": attempts_of(row.attempt.call) if row.attempt else [],
        "source": source_of(row),
        "others": siblings_of(row),
        "talk": conversation_about(AboutResponse(row), person=request.user),
    }
    return render(request, "judging/response.html", context)


def readings_of(row: Response) -> dict[str, Any]:
    """The reading that counts, if the task reads replies, and earlier ones."""
    if row.template.what.reader is None:
        return {}
    parts = parts_of(row)
    first = parts[0] if parts else row
    found = sorted(first.readings.all(), key=lambda each: (not each.is_current, -each.pk))
    for each in found:
        each.response = row
    return {"reading": found[0] if found else None, "earlier": found[1:], "parts": parts}


def parts_of(row: Response) -> list[Response]:
    """The responses that are one answer with this one, in their order; none if it is one by itself."""
    if row.parts == 1:
        return []
    (found,) = parts_at([position_of(row)]).values()
    return found


def source_of(row: Response) -> Response | None:
    """The response whose reply this one reuses."""
    reused_from = row.attempt and row.attempt.reused_from_id
    return Response.objects.filter(attempt=reused_from).first() if reused_from else None


def siblings_of(row: Response) -> QuerySet[Response]:
    """Other models' answers to the same question, for comparison."""
    same = Response.objects.filter(instance=row.instance_id).exclude(pk=row.pk)
    return same.select_related("model", "template").order_by("template__code", "model__name", "pk")[:50]


def attempts_of(call: Call) -> QuerySet[Attempt]:
    return call.attempts.select_related("model").order_by("number")


@role_required(Role.ADMIN)
@names_models
@require_GET
def call(request: SignedInRequest, key: UUID) -> HttpResponse:
    """A call without a response, or for a judgment: its request, each attempt, and the replies."""
    known = calls_known_to(request.user, Call.objects.all())
    row = get_object_or_404(
        known.select_related("run", "model", "instance", "template", "model_suggestion__annotation", *JUDGED), key=key
    )
    if row.model_suggestion:
        note_opened([row.model_suggestion.annotation], reader=request.user)
    load_subjects([row])
    attempts = list(attempts_of(row))
    answered = Response.objects.filter(attempt__in=attempts).first()
    if answered:
        return redirect("response", answered.key)
    context: dict[str, Any] = {
        "call": row,
        "attempts": attempts,
        "prompt_messages": attempts[-1].request.get("messages", []) if attempts else [],
        "judgment": ModelJudgment.objects.filter(attempt__in=attempts).first(),
        "purpose": purpose_of(row),
        "title": purpose_of(row).title(row),
        **purpose_of(row).about(row),
    }
    return render(request, "judging/call.html", context)


@role_required(Role.ADMIN)
@names_models
@require_GET
def judgments(request: SignedInRequest, pk: int) -> HttpResponse:
    """The judged responses of a judge run, with one column per judge; `with` lists judge runs to compare with."""
    row = get_object_or_404(Run, pk=pk)
    if row.kind != RunKind.JUDGE:
        raise Refusal(say("{run} is not a run of judge models.", run=str(row).capitalize()), status=404)
    comparable = comparable_runs(row)
    wanted = [number(value) for value in request.GET.getlist("with")][:OTHER_RUNS]
    others = list(comparable.filter(pk__in=wanted))
    filters = VerdictFilters(request.GET)
    there = Window(ModelJudgment.objects.filter(run=row), ("response_id",), key="response_id")
    page = page_of(
        request, filters.responses(row, others).select_related("instance", "model", "template"), window=there
    )
    context = {
        "run": row,
        "others": others,
        "comparable": comparable,
        "chosen": filters.chosen,
        "shows": filters.fields["show"].choices,  # type: ignore[attr-defined]
        "table": verdict_table(row, others),
        "page": page,
        "rows": with_judgments(page, [row, *others]),
    }
    return render(request, "judging/judgments.html", context)
