"""The reading pane beside the form: its tabs, and the handling of selected text."""

from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core.languages import say
from core.models import Role, User
from core.outside import storable, text_in, web_address, whole_number
from core.refusals import Refusal
from core.waking import wake
from core.web.access import SignedInRequest, role_required

from ...assisting.assistance import help_with, record_suggestion
from ...desk.drafts.sources import refuse_too_many, select_passage, set_sources, sources_of
from ...desk.drafts.time import note_time
from ...evidence import ask_again, ask_for_article, is_to_be_asked_for
from ...evidence.pane import article_at_hand, have_fetched, requests_shown, shown, tabs_of
from ...evidence.watched import watched
from ...models import Annotation, EvidenceKind, EvidenceRequest
from ...tasks import fetch_evidence
from .own import own_annotation, own_row
from .saving import sent_from_desk, sent_json

DESK, REVIEWS = "desk", "reviews"


def pane_context(
    request: SignedInRequest, annotation: Annotation, *, desk: str = DESK, was_watched: bool = True
) -> dict[str, object]:
    """The context of the pane's templates; the article only if it is stored. A GET writes nothing: the open page
    requests missing evidence. `desk` is the prefix of the URL names that the pane calls; `was_watched` says that a
    check of the article may have found something.
    """
    tag = annotation.tag
    return _addresses(annotation, desk) | {
        "tag": tag,
        "pane_tabs": tabs_of(tag),
        "article": article_at_hand(tag),
        "asks_for_evidence": is_to_be_asked_for(tag),
        "watched": watched(annotation, reader=request.user, was_watched=was_watched),
        "watch_address": reverse(f"{desk}_watch", args=[annotation.pk]),
    }


def _addresses(annotation: Annotation, desk: str) -> dict[str, object]:
    return {
        "pane_address": f"{desk}_evidence",
        "pane_of": annotation.pk,
        "article_address": web_address(annotation.tag.article.url),
        "retry_address": f"{desk}_evidence_again",
        "further_address": reverse(f"{desk}_further", args=[annotation.pk]),
    }


@role_required(Role.ANNOTATOR)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def panel(request: SignedInRequest, pk: int, kind: str) -> HttpResponse:
    """One tab, as a fragment for the pane, or as a separate page without JavaScript. POST has the tag's evidence
    fetched first."""
    return show_panel(request, own_annotation(request, pk), kind)


def show_panel(request: SignedInRequest, annotation: Annotation, kind: str, *, desk: str = DESK) -> HttpResponse:
    if request.method == "POST" and have_fetched(annotation.tag):
        wake(fetch_evidence, annotation.tag_id)
    return _render(request, annotation, kind, desk)


@role_required(Role.ANNOTATOR)
@require_POST
def again(request: SignedInRequest, pk: int, request_pk: int) -> HttpResponse:
    """Fetch unavailable evidence again."""
    return ask_once_more(request, own_annotation(request, pk), request_pk)


def ask_once_more(
    request: SignedInRequest, annotation: Annotation, request_pk: int, *, desk: str = DESK
) -> HttpResponse:
    wanted = get_object_or_404(EvidenceRequest, pk=request_pk, tag=annotation.tag_id)
    is_shown = requests_shown(annotation.tag, wanted.kind, readers=readers_of(request, annotation))
    if not is_shown.filter(pk=wanted.pk).exists():
        raise Http404
    ask_again(request=wanted)
    wake(fetch_evidence, annotation.tag_id)
    return _render(request, annotation, wanted.kind, desk)


@role_required(Role.ANNOTATOR)
@require_POST
def further(request: SignedInRequest, pk: int) -> HttpResponse:
    """Fetch another article by its title or address."""
    return fetch_further(request, own_annotation(request, pk))


def fetch_further(request: SignedInRequest, annotation: Annotation, *, desk: str = DESK) -> HttpResponse:
    ask_for_article(tag=annotation.tag, text=request.POST.get("text", ""), by=request.user)
    wake(fetch_evidence, annotation.tag_id)
    return _render(request, annotation, EvidenceKind.FURTHER, desk)


def _render(request: SignedInRequest, annotation: Annotation, kind: str, desk: str) -> HttpResponse:
    tag = annotation.tag
    if kind not in dict(tabs_of(tag)):
        raise Http404
    context = _addresses(annotation, desk) | {
        "tag": tag,
        "shown": shown(tag, kind, readers=readers_of(request, annotation)),
        "asks_for_evidence": is_to_be_asked_for(tag),
        "back": reverse(f"{desk}_annotation", args=[annotation.pk]),
    }
    name = "_pane_panel.html" if request.headers.get("HX-Request") else "pane_page.html"
    return render(request, f"annotation/{name}", context)


def readers_of(request: SignedInRequest, annotation: Annotation) -> list[User]:
    """The people whose requests are shown: a reviewer also sees what the writer of this annotation requested."""
    return [person for person in (request.user, annotation.annotator) if person]


@sent_from_desk
def select(request: SignedInRequest, pk: int) -> HttpResponse:
    """Use the text selected in the pane, or with `tagged` the marked paragraph, as (part of) a passage.

    The answer has all parts of the passages, and the title of the page.
    """
    annotation = own_annotation(request, pk)
    sent = sent_by(request)
    page = select_passage(annotation=annotation, annotator=request.user, **selection_in(sent))
    return JsonResponse({"title": page.title, "sources": sources_of(annotation)})


@sent_from_desk
def sources(request: SignedInRequest, pk: int) -> HttpResponse:
    """Set the parts of a passage: to none, or to earlier ones."""
    annotation = own_annotation(request, pk)
    set_sources(annotation=annotation, annotator=request.user, **parts_in(sent_by(request)))
    return JsonResponse({"sources": sources_of(annotation)})


@sent_from_desk
def assist(request: SignedInRequest, pk: int) -> HttpResponse:
    """References and suggestions for the form as it stands."""
    return JsonResponse(help_with(annotation=own_annotation(request, pk), content=sent_by(request).get("content")))


@sent_from_desk
def suggestion(request: SignedInRequest, pk: int) -> HttpResponse:
    annotation = own_annotation(request, pk)
    sent = sent_by(request)
    words = {name: text_in(sent, name) for name in ("field", "suggested", "outcome")}
    record_suggestion(annotation=annotation, annotator=request.user, **words)
    return JsonResponse({})


@sent_from_desk
def time(request: SignedInRequest, pk: int) -> HttpResponse:
    """Store the active seconds, actions and typed characters that this opening of the page has counted so far."""
    annotation, sent = own_row(request, pk), sent_by(request)
    actions, typed = (by_step(sent, name) if name in sent else None for name in ("actions", "typed"))
    counted = counted_in(sent) | {"actions": actions, "typed": typed}
    note_time(annotation=annotation, annotator=request.user, **counted)
    return JsonResponse({})


def counted_in(sent: dict[str, Any]) -> dict[str, Any]:
    """The opening of the page, and the seconds that it counted on each step."""
    return {"page": text_in(sent, "page"), "seconds": by_step(sent, "seconds")}


def by_step(sent: dict[str, Any], name: str) -> dict[int, int]:
    counted = sent.get(name)
    if not isinstance(counted, dict):
        raise Refusal(say("The time was not recorded: it was not sent as seconds per step."), status=400)
    return {whole_number(step, most=99) or 0: number_in(counted, step) for step in counted}


def selection_in(sent: dict[str, Any]) -> dict[str, Any]:
    """The selection, and its passage."""
    is_tagged = sent.get("tagged") is True
    return {
        "evidence": number_in(sent, "evidence"),
        "offsets": None if is_tagged else (number_in(sent, "start"), number_in(sent, "end")),
        "words": text_in(sent, "words"),
        "position": number_in(sent, "position"),
        "is_first": sent.get("is_first") is True,
    }


def parts_in(sent: dict[str, Any]) -> dict[str, Any]:
    """The passage, and the page and the offsets of each of its parts."""
    parts = sent.get("parts")
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise Refusal(say("The parts of the passage could not be read. Nothing was changed."), status=400)
    refuse_too_many(len(parts))
    offsets = [tuple(number_in(part, name) for name in ("evidence", "start", "end")) for part in parts]
    return {"position": number_in(sent, "position"), "parts": offsets}


def sent_by(request: SignedInRequest) -> dict[str, Any]:
    return sent_json(request, say("The request could not be read. Nothing was changed."))


def number_in(sent: dict[str, object], name: str) -> int:
    value = sent.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise Refusal(
            say("The request lacks a number “{name}”. Nothing was changed.", name=storable(name[:40])),
            status=400,
        )
    return value
