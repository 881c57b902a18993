"""Suggested edits: a reviewer suggests one for a field, the annotator takes or declines it."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from core.languages import say
from core.models import Role
from core.outside import Unreadable, version_number, whole_number
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from core.web.scripted import json_in

from ...content.fields import FIELDS, Content, clean_content
from ...content.rows import content_of
from ...models import Annotation, EditState, SuggestedEdit
from ...reviewing.edits import decide_edit, edits_of, suggest_edit, withdraw_edit
from ...reviewing.queue import find_annotation, may_suggest
from .saving import sent_from_desk


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def suggest(request: SignedInRequest, pk: int) -> HttpResponse:
    found = find_annotation(reviewer=request.user, pk=pk)
    edit = suggest_edit(
        annotation=found,
        reviewer=request.user,
        field=request.POST.get("field", ""),
        text=request.POST.get("text", ""),
        reason=request.POST.get("reason", ""),
        seen_version=version_number(request.POST.get("seen_version")),
    )
    return _answer(request, found, edit.field, say("Suggested. The annotator gets it with the returned annotation."))


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def withdraw(request: SignedInRequest, pk: int, edit_pk: int) -> HttpResponse:
    found = find_annotation(reviewer=request.user, pk=pk)
    edit = SuggestedEdit.objects.filter(pk=edit_pk, annotation=found.pk).select_related("annotation").first()
    if edit is None:
        raise Refusal(say("This suggestion no longer exists: it may have been withdrawn."))
    withdraw_edit(edit=edit, reviewer=request.user)
    return _answer(request, found, edit.field, say("The suggestion is withdrawn."))


def _answer(request: SignedInRequest, found: Annotation, field: str, done: str) -> HttpResponse:
    """The field's suggestions as a fragment, or the page again if there is no JavaScript."""
    if not request.headers.get("HX-Request"):
        messages.success(request, done)
        return redirect(f"{reverse('reviews_annotation', args=[found.pk])}#edits-{FIELDS[field].id}")
    context = {
        "annotation": found,
        "content": content_of(found),
        "edits": edits_of(found),
        "may_suggest": may_suggest(found, reviewer=request.user),
        "name": field,
    }
    return render(request, "annotation/_edits_changed.html", context)


@sent_from_desk
def decide(request: SignedInRequest, pk: int, edit_pk: int) -> HttpResponse:
    """Take an edit (the saved draft has its text) or decline it."""
    edit = _own_edit(request, pk, edit_pk)
    decide_edit(edit=edit, annotator=request.user, state=_state(_sent(request).get("state")))
    return JsonResponse({"state": edit.state})


def _own_edit(request: SignedInRequest, pk: int, edit_pk: int) -> SuggestedEdit:
    edits = SuggestedEdit.objects.select_related("annotation", "suggested_by")
    return get_object_or_404(edits, pk=edit_pk, annotation=pk, annotation__annotator=request.user)


def _state(sent: Any) -> EditState:
    if sent not in (EditState.TAKEN, EditState.DECLINED):
        raise Refusal(say("Either take the suggestion or decline it. Nothing was changed."), status=400)
    return EditState(sent)


def _sent(request: SignedInRequest) -> dict[str, object]:
    try:
        return json_in(request)
    except Unreadable:
        return {}


def pressed_edit(post: QueryDict, annotation: Annotation) -> tuple[SuggestedEdit, EditState] | None:
    """The suggestion whose button was pressed on a page without JavaScript, and the new state."""
    for button, state in (("take_edit", EditState.TAKEN), ("decline_edit", EditState.DECLINED)):
        number = post.get(button, "")
        if (pk := whole_number(number)) is not None:
            return get_object_or_404(SuggestedEdit, pk=pk, annotation=annotation.pk), state
    return None


def with_edit(content: object, pressed: tuple[SuggestedEdit, EditState] | None) -> Content:
    """The posted content, with the suggested text if it is taken."""
    cleaned = clean_content(content)
    if pressed and pressed[1] == EditState.TAKEN:
        cleaned[pressed[0].field] = pressed[0].text
    return cleaned
