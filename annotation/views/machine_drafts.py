"""Drafts by a language model at a field of the desk: ask, see, use or leave. Every answer is the fragment that stands
at the field, whatever came of it."""

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from ..access import SignedInRequest, role_required
from ..desk.desk_forms import content_from_post
from ..desk.drafting import ask_for_draft, decide_on_draft, look_at, parts_of, wake_drafter
from ..errors import Forbidden, Refusal
from ..models import Annotation, DraftState, MachineDraft, Role


@role_required(Role.ANNOTATOR)
@require_POST
def ask(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask for a draft of `target`, made of the form as it was posted."""
    own = Annotation.objects.select_related("tag")
    annotation = get_object_or_404(own, pk=pk, annotator=request.user)
    try:
        draft = ask_for_draft(
            annotation=annotation,
            annotator=request.user,
            target=request.POST.get("target", ""),
            content=content_from_post(request.POST),
        )
    except Forbidden:
        raise
    except Refusal as refusal:
        return _fragment(request, error=refusal.message)
    if draft.state == DraftState.ASKED:
        transaction.on_commit(wake_drafter)
    return _fragment(request, draft)


@role_required(Role.ANNOTATOR)
@never_cache
@require_GET
def state(request: SignedInRequest, pk: int, draft_pk: int) -> HttpResponse:
    """The draft as it stands; the page asks until it is there."""
    return _fragment(request, look_at(_own(request, pk, draft_pk)))


@role_required(Role.ANNOTATOR)
@require_POST
def decide(request: SignedInRequest, pk: int, draft_pk: int) -> HttpResponse:
    """Use the draft, or leave it; its text reaches the form by the page's script only."""
    draft = _own(request, pk, draft_pk)
    try:
        is_used = request.POST.get("decision") == "use"
        return _fragment(request, decide_on_draft(draft=draft, annotator=request.user, is_used=is_used))
    except Forbidden:
        raise
    except Refusal as refusal:
        return _fragment(request, error=refusal.message)


def _own(request: SignedInRequest, pk: int, draft_pk: int) -> MachineDraft:
    drafts = MachineDraft.objects.select_related("annotation")
    return get_object_or_404(drafts, pk=draft_pk, annotation=pk, annotation__annotator=request.user)


def _fragment(request: SignedInRequest, draft: MachineDraft | None = None, *, error: str = "") -> HttpResponse:
    context = {"draft": draft, "parts": parts_of(draft) if draft else [], "error": error}
    return render(request, "annotation/_machine_draft.html", context)
