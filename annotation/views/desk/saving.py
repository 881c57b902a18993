"""Reads the desk's posted form, and answers its script: for annotations and practice runs."""

from collections.abc import Callable, Iterable
from typing import Protocol
from uuid import UUID

from django.http import HttpRequest, JsonResponse, QueryDict
from django.views.decorators.http import require_POST

from core.languages import say, translated
from core.models import Role
from core.outside import MOST_NUMBER, Unreadable, text_in, whole_number
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from core.web.scripted import answers_script, is_script, json_in

from ...content.checks import Problem
from ...content.fields import Content, clean_content, questions_of, with_questions
from ...desk.assignments.assignment import Standing
from ...desk.drafts.forms import content_from_post

# A form of 200 kB grows when encoded as JSON or percent-encoded, but not beyond this.
MOST_BYTES = 2_000_000


def sent_from_desk(view: Callable) -> Callable:
    """For posts of an annotator's page, by its script or as a plain form; its script gets every error as JSON."""
    return answers_script(role_required(Role.ANNOTATOR)(require_POST(view)))


def arguments_of(request: SignedInRequest) -> dict:
    """Content, version, operation and tab of a save, and the fields seen, from script or from a plain form. Raises
    Refusal if they cannot be read.
    """
    if (whole_number(request.META.get("CONTENT_LENGTH")) or 0) > MOST_BYTES:
        raise Refusal(
            say("Not saved: this is more text than a form can hold (200 kB). Your text is still in the form."),
            status=413,
        )
    if is_script(request):
        sent = sent_json(request)
        content, operation, tab = sent.get("content"), sent.get("operation"), text_in(sent, "tab")
        looks = {name: _names_in(sent, name) for name in ("unseen", "seen")}
        version = request.headers.get("If-Match", "").strip('" ')
    else:
        content, operation, tab = content_from_post(request.POST), request.POST.get("operation"), ""
        looks = {"seen": request.POST.getlist("seen")}
        version = request.POST.get("base_version", "")
    base_version = whole_number(version, most=MOST_NUMBER)
    if base_version is None:
        raise Refusal(say("Not saved: the page did not say which version it is based on. Reload it."), status=400)
    try:
        operation = UUID(str(operation))
    except ValueError:
        raise Refusal(say("Not saved: the page sent no valid number for this save. Reload it."), status=400) from None
    return {"content": content, "base_version": base_version, "operation": operation, "tab": tab} | looks


def _names_in(sent: dict, name: str) -> list[str]:
    """The names of fields under this key; none where a page does not send it."""
    found = sent.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def shown_guideline(request: SignedInRequest) -> int | None:
    """The version of the guideline that the page showed; None if the page did not say."""
    written = text_in(sent_json(request), "guideline") if is_script(request) else request.POST.get("guideline")
    return whole_number(written, most=MOST_NUMBER)


def sent_json(
    request: HttpRequest,
    refused: str = say("Not saved: the request could not be read. Your text is still in the form."),
) -> dict:
    """The JSON from the page's script. Raises Refusal if it cannot be read."""
    try:
        return json_in(request)
    except Unreadable as error:
        raise Refusal(refused, status=400) from error


def with_question_buttons(content: object, post: QueryDict) -> tuple[Content, str]:
    """The content after “Add a question” or “Remove” on a page without JavaScript, and the anchor to continue from.

    A question with text is removed only after a second click, as it cannot be brought back.
    """
    cleaned = clean_content(content)
    rows = questions_of(cleaned)
    removed, surely = post.get("remove_question", ""), post.get("remove_surely", "")
    number = whole_number(surely or removed) or 0
    if 0 < number <= len(rows):
        if not surely and any(text.strip() for text in rows[number - 1]):
            return cleaned, f"?remove={number}#f-question{number}"
        del rows[number - 1]
        cleaned = with_questions(cleaned, rows)
    added = min(len(rows) + 1, 10) if "add_question" in post else 0
    return cleaned, f"?questions={added}#f-question{added}" if added else ""


# --- Answers to the script ----------------------------------------------------------------------------------------


class Versioned(Protocol):
    """An object saved under a number that rises with each save."""

    @property
    def version(self) -> int: ...


class Kept(Versioned, Protocol):
    """The current content after an attempt to save."""

    @property
    def content(self) -> Content: ...


def saved_answer(saved: Versioned, standing: Standing) -> JsonResponse:
    return JsonResponse(
        {"version": saved.version, "standing": standing, "message": translated(standing_message(standing))}
    )


def stale_answer(kept: Kept) -> JsonResponse:
    return JsonResponse({"reason": "stale", "version": kept.version, "content": kept.content}, status=409)


def problems_answer(saved: Versioned, problems: Iterable[Problem]) -> JsonResponse:
    names = ("field", "target", "step", "label", "message", "is_unseen")
    told = [{name: translated(getattr(problem, name)) for name in names} for problem in problems]
    return JsonResponse({"reason": "problems", "version": saved.version, "problems": told}, status=422)


def standing_message(standing: Standing) -> str:
    return {
        Standing.HELD: "",
        Standing.LOST: say(
            "This tag went back to the queue while the page was closed, and other annotators have taken it. "
            "Your changes are still saved under “My work”; you can submit it if the tag becomes free again."
        ),
        Standing.WAITING: say("This tag is waiting for the answer to your question. Your changes are still saved."),
        Standing.FLAGGED: say("This tag is flagged and waiting for an admin. Your changes are still saved."),
        Standing.SKIPPED: say(
            "You skipped this tag, or an admin took it back. Your changes are still saved; under “My work” you "
            "can resume it."
        ),
        Standing.SEEN: say(
            "You have seen another annotation of this tag, so yours would not be independent of it. Your "
            "changes are still saved, but cannot be submitted."
        ),
        Standing.CLOSED: say("This annotation has been submitted."),
    }[standing]
