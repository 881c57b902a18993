"""Suggestions by a model at a field of the desk: ask, see, use or reject. Every answer is the fragment at the field,
whatever the outcome."""

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from core.models import Role
from core.refusals import Forbidden, Refusal
from core.web.access import SignedInRequest, role_required

from ...assisting.model_suggestions import ask_for_suggestion, decide_on_suggestion, look_at, parts_of, wake_suggester
from ...desk.drafts.forms import content_from_post
from ...models import ModelSuggestion, SuggestionState
from .own import own_annotation


@role_required(Role.ANNOTATOR)
@require_POST
def ask(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask for a suggestion of `target`, based on the form as it was posted."""
    annotation = own_annotation(request, pk)
    try:
        suggestion = ask_for_suggestion(
            annotation=annotation,
            annotator=request.user,
            target=request.POST.get("target", ""),
            content=content_from_post(request.POST),
        )
    except Forbidden:
        raise
    except Refusal as refusal:
        return _fragment(request, error=refusal.message)
    if suggestion.state == SuggestionState.ASKED:
        transaction.on_commit(wake_suggester)
    return _fragment(request, suggestion)


@role_required(Role.ANNOTATOR)
@never_cache
@require_GET
def state(request: SignedInRequest, pk: int, suggestion_pk: int) -> HttpResponse:
    """The suggestion's current state; the page polls until the text is there."""
    return _fragment(request, look_at(_own(request, pk, suggestion_pk)))


@role_required(Role.ANNOTATOR)
@require_POST
def decide(request: SignedInRequest, pk: int, suggestion_pk: int) -> HttpResponse:
    """Use or reject the suggestion; only the page's script puts its text into the form."""
    suggestion = _own(request, pk, suggestion_pk)
    try:
        is_used = request.POST.get("decision") == "use"
        return _fragment(
            request, decide_on_suggestion(suggestion=suggestion, annotator=request.user, is_used=is_used)
        )
    except Forbidden:
        raise
    except Refusal as refusal:
        return _fragment(request, error=refusal.message)


def _own(request: SignedInRequest, pk: int, suggestion_pk: int) -> ModelSuggestion:
    suggestions = ModelSuggestion.objects.select_related("annotation")
    return get_object_or_404(suggestions, pk=suggestion_pk, annotation=pk, annotation__annotator=request.user)


def _fragment(
    request: SignedInRequest, suggestion: ModelSuggestion | None = None, *, error: str = ""
) -> HttpResponse:
    context = {"suggestion": suggestion, "parts": parts_of(suggestion) if suggestion else [], "error": error}
    return render(request, "annotation/_model_suggestion.html", context)
