"""The annotator's desk: take a tag, write, save, submit; skip and flag; my work."""

from functools import wraps
from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.engine.parts import COOKIE, Parts
from core.languages import joined, say
from core.models import Project, Role, User
from core.outside import MOST_NUMBER, whole_number
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from core.web.acts import page_before
from core.web.scripted import answers_script, is_script

from ...assisting.model_suggestions import suggestion_context
from ...content.fields import FIELDS, MAX_QUESTIONS, Content, Merge, clean_content
from ...content.rows import content_of
from ...desk.assignments.ahead import claim_ahead, hand_back_ahead
from ...desk.assignments.assignment import (
    Standing,
    claim_next_tag,
    flag_tag,
    hand_back,
    renew_lease,
    skip_tag,
    take_up_again,
)
from ...desk.assignments.practice_due import PracticeDue, practice_standing
from ...desk.assignments.queue import MOST_COUNTED, left_for, left_in_words
from ...desk.belongings import belongings_of
from ...desk.comments.about_annotations import AboutAnnotation
from ...desk.comments.conversations import conversation_about, desk_conversation
from ...desk.decisions import reopen_annotation
from ...desk.drafts.drafts import SaveResult, merge_stale, save_draft
from ...desk.drafts.forms import as_typed, blank_steps, desk_context, untouched_steps
from ...desk.drafts.sources import sources_of
from ...desk.drafts.submission import submit_annotation
from ...desk.review_sample import is_sampled
from ...desk.work.my_work import held_now, outlook_for
from ...desk.work.own_work import WorkState, count_begun, own_work
from ...guideline.versions import beside_the_desk, is_news, unread_version
from ...models import Annotation
from ...reviewing.edits import decide_edit, edits_of, is_open
from ...reviewing.read_only import show_annotation
from .edits import pressed_edit, with_edit
from .evidence import pane_context
from .own import own_annotation, own_or_none, own_row
from .saving import (
    arguments_of,
    problems_answer,
    saved_answer,
    sent_from_desk,
    sent_json,
    shown_guideline,
    stale_answer,
    standing_message,
    with_question_buttons,
)

RETURNED_SHOWN = 5
QUESTION_NUMBERS = [str(number) for number in range(1, MAX_QUESTIONS + 1)]


def keeps_the_form(view):
    """For a form posted without JavaScript: a refused save shows the form again with the typed values and the
    reason.
    """

    @wraps(view)
    def kept(request: SignedInRequest, pk: int):
        try:
            return view(request, pk)
        except Refusal as refusal:
            if is_script(request) or "base_version" not in request.POST:
                raise
            shown = own_annotation(request, pk)
            if not shown.is_writable:
                raise
            content = as_typed(request.POST)
            return _render(request, shown, content, refused=refusal.message, status=refusal.status)

    return kept


@role_required(Role.ANNOTATOR)
@never_cache
@require_GET
def desk(request: SignedInRequest) -> HttpResponse:
    """The start of work: the current tag if there is one, else the available work."""
    held = held_now(request.user)
    if held:
        return redirect("desk_annotation", held.pk)
    work = own_work(request.user)
    return render(
        request,
        "annotation/desk_start.html",
        {
            "outlook": outlook_for(request.user),
            "returned": work.groups(request.user, [WorkState.RETURNED], most=RETURNED_SHOWN),
            "drafts": count_begun(request.user),
            "waiting": work.counts[WorkState.WAITING],
            "practice": practice_standing(request.user),
            "new_guideline": unread_version(request.user),
        },
    )


@role_required(Role.ANNOTATOR)
@require_POST
def desk_next(request: SignedInRequest) -> HttpResponse:
    return redirect(next_address(request))


def next_address(request: SignedInRequest) -> str:
    try:
        return _address_of(claim_next_tag(annotator=request.user))
    except PracticeDue:
        return reverse("practice")


def _address_of(annotation: Annotation | None) -> str:
    return reverse("desk_annotation", args=[annotation.pk]) if annotation else reverse("desk")


@role_required(Role.ANNOTATOR)
@never_cache
@require_GET
def annotation(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_annotation(request, pk)
    if not shown.is_writable:
        context = {"annotation": shown, "is_sampled": is_sampled()}
        context["talk"] = conversation_about(AboutAnnotation(shown), person=request.user)
        context |= pane_context(request, shown) | show_annotation(shown)
        return render(request, "annotation/desk_read.html", context)
    questions = request.GET.get("questions", "")
    wanted = whole_number(questions, most=99) or 1
    removing = asked if (asked := request.GET.get("remove", "")) in QUESTION_NUMBERS else ""
    return _render(request, shown, content_of(shown), questions=wanted, removing=removing)


def _parts_held(request: SignedInRequest) -> Parts:
    return Parts() if "whole" in request.GET else Parts.in_cookie(request.COOKIES.get(COOKIE, ""))


def _render(
    request: SignedInRequest,
    shown: Annotation,
    content: Content,
    *,
    status: int = 200,
    problems=(),
    questions=1,
    **more,
) -> HttpResponse:
    there = belongings_of(shown)
    edits = edits_of(shown) if there.edits else {}
    talk = desk_conversation(shown, request.user, content, are_there=bool(there.comments))
    discussed = {*edits, *talk["comment_counts"]}
    context = desk_context(content, problems, questions=questions, discussed=discussed) | {
        "annotation": shown,
        "sources": sources_of(shown) if there.sources else [],
        "seconds": there.seconds,
        "unseen": (shown.draft.unseen or []) if shown.draft else [],
        "guideline": beside_the_desk(shown.latest_guideline, shown.guideline_since),
        "new_guideline": _news(shown, request.user),
        "is_new_here": there.is_new_here,
        "lease_seconds": shown.lease_seconds or Project.get().lease_seconds,
        "left": left_in_words(_left_on_page(request)),
        "operation": uuid4(),
        "save_address": "desk_save",
        "edits": edits,
        "parts": _parts_held(request),
    }
    context["open_steps"] |= {FIELDS[name].step for name, of in edits.items() if any(map(is_open, of))}
    if more.get("removing"):
        context["open_steps"] |= {5}
    context |= pane_context(request, shown, was_watched=bool(there.findings))
    context |= suggestion_context(shown)
    context |= talk | more
    context["untouched"] = untouched_steps(context)
    context["blank"] = dict.fromkeys(blank_steps(context), context["parts"])
    return render(request, "annotation/desk.html", context, status=status)


def _left_on_page(request: SignedInRequest) -> int:
    """The number of tags remaining. A page fetched ahead is shown once the tag at hand is done: it does not count."""
    left = left_for(request.user)
    return left - 1 if "ahead" in request.GET and 0 < left <= MOST_COUNTED else left


def _news(shown: Annotation, person: User) -> int | None:
    """The version of the guideline to tell this person of."""
    number, since = shown.latest_guideline, shown.guideline_since
    if number and since and is_news(number, since, read=shown.guideline_read, person=person):
        return number
    return None


@answers_script
@role_required(Role.ANNOTATOR)
@never_cache
@require_POST
@keeps_the_form
def save(request: SignedInRequest, pk: int) -> HttpResponse:
    if is_script(request):
        saved = own_annotation(request, pk)
        result = save_draft(annotation=saved, annotator=request.user, **arguments_of(request))
        return saved_answer(result, result.standing) if result.is_saved else stale_answer(result)
    shown = own_annotation(request, pk)
    arguments = arguments_of(request)
    arguments["content"], anchor = with_question_buttons(arguments["content"], request.POST)
    pressed = pressed_edit(request.POST, shown)
    if pressed:
        arguments["content"] = with_edit(arguments["content"], pressed)
    result = save_draft(annotation=shown, annotator=request.user, **arguments)
    merge = None
    if not result.is_saved:
        merge = _merge(shown, arguments, result)
        if merge.clashing:
            return _render_stale(request, shown, merge)
        arguments |= {"content": merge.content, "base_version": result.version, "operation": uuid4()}
        result = save_draft(annotation=shown, annotator=request.user, **arguments)
        if not result.is_saved:  # changed again at the same moment
            return _render_stale(request, shown, _merge(shown, arguments, result))
    if pressed:
        decide_edit(edit=pressed[0], annotator=request.user, state=pressed[1])
    messages.success(request, _saved_words(merge))
    address = reverse("desk_annotation", args=[shown.pk])
    return redirect(address + anchor)


@answers_script
@role_required(Role.ANNOTATOR)
@never_cache
@require_POST
@keeps_the_form
def submit(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_annotation(request, pk)
    arguments = arguments_of(request)
    guideline = shown_guideline(request)
    result = submit_annotation(annotation=shown, annotator=request.user, guideline=guideline, **arguments)
    if result.is_submitted:
        return _after_submission(request, shown)
    if is_script(request):
        return problems_answer(result.save, result.problems) if result.save.is_saved else stale_answer(result.save)
    if not result.save.is_saved:
        return _render_stale(request, shown, _merge(shown, arguments, result.save))
    return _render(request, shown, result.save.content, problems=result.problems, status=422)


def _after_submission(request: SignedInRequest, shown: Annotation) -> HttpResponse:
    """Continue with the next tag, with a link back. A script that has that tag's page ready in its current state gets
    the notice for it; otherwise the next page has it.
    """
    following = claim_next_tag(annotator=request.user)
    title = shown.tag.article.title
    if following:
        said = say("Submitted “{title}”. This is the next tag.", title=title)
    else:
        said = say("Submitted “{title}”. There is no other tag for you right now.", title=title)
    undo = reverse("desk_reopen", args=[shown.pk]) + (f"?following={following.pk}" if following else "")
    messages.success(request, said, extra_tags=undo)
    if not is_script(request):
        return redirect(_address_of(following))
    answer = {"next": _address_of(following)}
    if following and sent_json(request).get("ready") == {"annotation": following.pk, "version": following.version}:
        answer["notices"] = render_to_string("_notices.html", request=request)
    return JsonResponse(answer)


def _merge(shown: Annotation, arguments: dict, result: SaveResult) -> Merge:
    return merge_stale(
        annotation=shown,
        content=clean_content(arguments["content"]),
        base_version=arguments["base_version"],
        theirs=result.content,
    )


def _saved_words(merge: Merge | None) -> str:
    if not merge or not merge.taken:
        return say("Draft saved.")
    fields = joined([FIELDS[name].label for name in merge.taken], "; ")
    return say("Draft saved, together with what another tab or window had changed: {fields}.", fields=fields)


def _render_stale(request: SignedInRequest, shown: Annotation, merge: Merge) -> HttpResponse:
    """Without JavaScript: the form shows both versions merged, and mine where they clash; saving it again keeps
    that.
    """
    shown.refresh_from_db()
    theirs = content_of(shown)
    stale = {
        "taken": [FIELDS[name] for name in merge.taken],
        "clashing": [(FIELDS[name], merge.content[name], theirs[name]) for name in merge.clashing],
    }
    return _render(request, shown, merge.content, stale=stale, status=409)


@sent_from_desk
def renew(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_row(request, pk)
    standing = renew_lease(annotation=shown, annotator=request.user)
    return saved_answer(shown, standing)


@sent_from_desk
def ahead(request: SignedInRequest, pk: int) -> HttpResponse:
    """Claim or keep the tag after this one, for the page's script to have it ready."""
    following = claim_ahead(annotation=own_row(request, pk), annotator=request.user)
    return JsonResponse({"next": _address_of(following) if following else ""})


@sent_from_desk
def not_ahead(request: SignedInRequest, pk: int) -> HttpResponse:
    """Hand back the tag claimed ahead when the page is left."""
    own_row(request, pk)
    return JsonResponse({"handed_back": hand_back_ahead(annotator=request.user)})


@role_required(Role.ANNOTATOR)
@require_http_methods(["GET", "POST"])
def skip(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_annotation(request, pk)
    if request.method != "POST":
        return _ask_reason(request, shown, "skip")
    skip_tag(annotation=shown, annotator=request.user, reason=request.POST.get("reason", ""))
    messages.success(
        request, say("Skipped “{title}”. It will not be offered to you again.", title=shown.tag.article.title)
    )
    return redirect(next_address(request))


@role_required(Role.ANNOTATOR)
@require_http_methods(["GET", "POST"])
def flag(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_annotation(request, pk)
    if request.method != "POST":
        return _ask_reason(request, shown, "flag")
    flag_tag(tag=shown.tag, annotator=request.user, reason=request.POST.get("reason", ""))
    messages.success(
        request, say("Flagged “{title}” for an admin. Your draft is kept.", title=shown.tag.article.title)
    )
    return redirect(next_address(request))


def _ask_reason(request: SignedInRequest, shown: Annotation, act: str) -> HttpResponse:
    return render(request, "annotation/desk_reason.html", {"annotation": shown, "act": act})


@role_required(Role.ANNOTATOR)
@require_POST
def reopen(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_annotation(request, pk)
    number = whole_number(request.GET.get("following"), most=MOST_NUMBER)
    reopen_annotation(annotation=shown, annotator=request.user, following=own_or_none(request, number))
    messages.success(request, say("Taken back: it is your draft again until you submit it."))
    return redirect("desk_annotation", shown.pk)


@role_required(Role.ANNOTATOR)
@require_POST
def resume(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_annotation(request, pk)
    standing = take_up_again(annotation=shown, annotator=request.user)
    if standing != Standing.HELD:
        messages.warning(request, standing_message(standing))
    return redirect("desk_annotation", shown.pk)


@role_required(Role.ANNOTATOR)
@require_POST
def hand_back_tag(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_annotation(request, pk)
    hand_back(annotation=shown, annotator=request.user)
    messages.success(
        request, say("“{title}” is back in the queue. Your work is kept as a draft.", title=shown.tag.article.title)
    )
    return redirect(page_before(request) or reverse("my_work"))
