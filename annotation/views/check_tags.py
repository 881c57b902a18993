"""For admins who do not annotate: check tags, mixed into the queue, and people's results on them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from core.languages import say_count
from core.models import Role
from core.outside import row_numbers, storable, whole_number
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required

from ..desk.visibility import note_seen
from ..models import CheckTag
from ..practice.check_results import labels_of, results_of_people
from ..practice.checks import (
    MOST_PERCENT,
    MOST_SEED,
    in_the_queue,
    mix_in_checks,
    positions,
    refuse_annotators,
    take_out_checks,
    to_choose_from,
)

MOST_OFFERED, MOST_LISTED = 50, 200


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def check_tags(request: SignedInRequest) -> HttpResponse:
    """The checks so far, a form to mix in more, and each person's results by field."""
    refuse_annotators(request.user)
    refused, status = "", 200
    if request.method == "POST":
        try:
            return _take_out(request) if request.POST.get("action") == "take_out" else _mix_in(request)
        except Refusal as refusal:
            refused, status = refusal.message, refusal.status
    people, choices = results_of_people(), list(to_choose_from(request.user)[:MOST_OFFERED])
    labels = labels_of(people)
    shown = [result.annotation.pk for person in people for result in person.results]
    note_seen([*shown, *(each.pk for each in choices)], reader=request.user)
    checks = CheckTag.objects.select_related("tag__article", "source__annotator", "made_by", "person").order_by("-pk")
    context = {
        "checks": checks.defer("tag__article__wikitext", "reference")[:MOST_LISTED],
        "in_queue": set(in_the_queue().values_list("pk", flat=True)),
        "count": CheckTag.objects.count(),
        "choices": choices,
        "ticked": request.POST.getlist("annotation"),
        "percent": storable(request.POST.get("percent", "10")),
        "seed": storable(request.POST.get("seed", "1")),
        "most_percent": MOST_PERCENT,
        "most_seed": MOST_SEED,
        "positions": positions()[:10_000].count(),
        "people": [(person, person.cells(labels)) for person in people],
        "labels": labels,
        "refused": refused,
    }
    return render(request, "annotation/check_tags.html", context, status=status)


def _take_out(request: SignedInRequest) -> HttpResponse:
    count = take_out_checks(checks=row_numbers(request.POST.getlist("check")), admin=request.user)
    messages.success(
        request,
        say_count(
            count,
            "{count} check tag is taken out of the queue.",
            "{count} check tags are taken out of the queue.",
        ),
    )
    return redirect("check_tags")


def _mix_in(request: SignedInRequest) -> HttpResponse:
    sources = [number for each in request.POST.getlist("annotation") if (number := whole_number(each))]
    percent = whole_number(request.POST.get("percent")) or 0
    seed = request.POST.get("seed", "")
    made = mix_in_checks(sources=sources, percent=percent, seed=seed, admin=request.user)
    messages.success(
        request,
        say_count(
            len(made),
            "{count} check tag is mixed into the queue.",
            "{count} check tags are mixed into the queue.",
        ),
    )
    return redirect("check_tags")
