"""The guideline for everybody who works with annotations; admins publish new versions of it."""

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from core.languages import say
from core.models import Role
from core.outside import MOST_NUMBER, storable, whole_number
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required

from ..content.fields import STEPS
from ..guideline.text import as_html, tidy
from ..guideline.versions import changed_steps, latest_version, mark_read, publish_guideline
from ..models import GuidelineVersion

READERS = (Role.ANNOTATOR, Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN)


def _version(number: int) -> GuidelineVersion:
    # A fresh database has version 1 from its first use on.
    latest = latest_version()
    return latest if latest.number == number else get_object_or_404(GuidelineVersion, number=number)


@role_required(*READERS)
@require_GET
def guideline(request: SignedInRequest) -> HttpResponse:
    """The guideline as it is now, and its versions."""
    return _show(request, latest_version())


@role_required(*READERS)
@require_GET
def guideline_version(request: SignedInRequest, number: int) -> HttpResponse:
    return _show(request, _version(number))


def _show(request: SignedInRequest, shown: GuidelineVersion) -> HttpResponse:
    latest = latest_version()
    if shown.number == latest.number:
        mark_read(version=shown, person=request.user)
    versions = GuidelineVersion.objects.select_related("published_by").order_by("-number")
    is_admin = request.user.has_role(Role.ADMIN)
    context = {
        "shown": shown,
        "is_latest": shown.number == latest.number,
        "steps": [(step, name, as_html(shown.texts[step])) for step, name in STEPS.items()],
        "versions": versions.annotate(submitted=Count("annotations")) if is_admin else versions,
        "is_admin": is_admin,
    }
    return render(request, "annotation/guideline.html", context)


@role_required(*READERS)
@require_GET
def guideline_changes(request: SignedInRequest, number: int) -> HttpResponse:
    """The changes of a version, word by word, since the one before or since `?since=`."""
    shown = _version(number)
    asked = whole_number(request.GET.get("since", ""), most=MOST_NUMBER) or number - 1
    before = _version(asked) if 1 <= asked < number else None
    if not GuidelineVersion.objects.filter(number__gt=number).exists():
        mark_read(version=shown, person=request.user)
    context = {
        "shown": shown,
        "before": before,
        "changed": changed_steps(before, shown) if before else [],
        "earlier": range(number - 1, 0, -1),
    }
    return render(request, "annotation/guideline_changes.html", context)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def guideline_edit(request: SignedInRequest) -> HttpResponse:
    """The six texts in a form; what is written is shown as the desk shows it before it is published."""
    latest = latest_version()
    texts, note, refused, status, after = latest.texts, "", "", 200, latest.number
    if request.method == "POST":
        texts = {step: tidy(storable(request.POST.get(f"step_{step}", ""))) for step in STEPS}
        note = storable(request.POST.get("note", ""))
        after = whole_number(request.POST.get("after"), most=MOST_NUMBER) or 0
        if "publish" in request.POST:
            try:
                made = publish_guideline(admin=request.user, texts=texts, note=note, after=after)
            except Refusal as refusal:
                refused, status = refusal.message, refusal.status
            else:
                messages.success(
                    request,
                    say("Version {number} is published. Annotators are told at the desk.", number=made.number),
                )
                return redirect("guideline")
    context = {
        "steps": [(step, name, texts[step], as_html(texts[step])) for step, name in STEPS.items()],
        "latest": latest,
        "after": after,
        "note": note,
        "refused": refused,
    }
    return render(request, "annotation/guideline_edit.html", context, status=status)
