"""Comments beside an annotation, questions that a tag is waiting for, and news for a person."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.languages import say
from core.lists.pages import Window, count_up_to, page_of
from core.models import Role
from core.outside import MOST_NUMBER, whole_number
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required

from ...content.marking import mark_tag
from ...content.rows import content_of
from ...desk.comments import comments
from ...desk.comments.about_annotations import AboutAnnotation, annotations_open_to, fields_to_discuss
from ...desk.comments.conversations import conversation_about, listed, notices_for, questions_shown
from ...desk.comments.topics import Topic, comments_open_to, note_comments_seen, topic_of
from ...desk.visibility import annotations_for, note_opened
from ...models import Annotation, Comment, Notice
from .desk import next_address
from .own import own_annotation

# Beyond this many new notices, "more than" is all that is said.
MOST_COUNTED = 500
# Who talks about annotations, and about anything.
TALKERS = (Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN)
ALL_TALKERS = (*TALKERS, Role.ADJUDICATOR)


@role_required(*ALL_TALKERS)
@never_cache
@require_GET
def overview(request: SignedInRequest) -> HttpResponse:
    """Open questions, and comments from others to this person."""
    notices = notices_for(request.user)
    page = page_of(request, notices, window=Window(Notice.objects.filter(person=request.user)))
    questions, own_questions = questions_shown(request.user)
    note_comments_seen([*questions, *(notice.comment for notice in page)], reader=request.user)
    context = {
        "questions": listed(questions),
        "own_questions": listed(own_questions),
        "page": page,
        "notices": listed(page.object_list),
        "unread": count_up_to(MOST_COUNTED, notices.filter(read_at=None)),
        "answers_questions": request.user.has_role(Role.REVIEWER, Role.ADMIN),
    }
    return render(request, "annotation/comments.html", context)


@role_required(*ALL_TALKERS)
@require_POST
def read_all(request: SignedInRequest) -> HttpResponse:
    comments.mark_read(person=request.user)
    return redirect("comments")


@role_required(*ALL_TALKERS)
@never_cache
@require_GET
def comment(request: SignedInRequest, pk: int) -> HttpResponse:
    """Redirect to the comment and mark it as read."""
    found = comment_open_to(request, pk)
    comments.mark_read(person=request.user, comments=[found])
    return redirect(topic_of(found).address(found, request.user))


@role_required(*TALKERS)
@never_cache
@require_GET
def conversation(request: SignedInRequest, pk: int) -> HttpResponse:
    """The comments of an annotation, or of one field: a page, or for htmx the fragment."""
    shown = annotation_open_to(request, pk)
    note_opened([shown], reader=request.user)
    if request.headers.get("HX-Request"):
        return fragment_of(request, AboutAnnotation(shown))
    return _page(request, shown)


def _page(request: SignedInRequest, shown: Annotation, status: int = 200, **more) -> HttpResponse:
    looked_at = annotations_for(request.user).filter(pk=shown.pk)
    chosen = {"chosen": field_of(request, AboutAnnotation(shown)) or ""}
    context = {
        "annotation": shown,
        "tag": shown.tag,
        "paragraph": mark_tag(shown.tag.raw, shown.tag.paragraph),
        "talk": conversation_about(AboutAnnotation(shown), person=request.user, beside_fields=False, **chosen | more),
        "is_mine": shown.annotator_id == request.user.pk,
        "may_look": request.user.has_role(Role.REVIEWER, Role.ADMIN) and looked_at.exists(),
    }
    return render(request, "annotation/conversation.html", context, status=status)


@role_required(*TALKERS)
@require_POST
def write(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = annotation_open_to(request, pk)
    return write_about(request, AboutAnnotation(shown), lambda status, **more: _page(request, shown, status, **more))


@role_required(*ALL_TALKERS)
@require_POST
def resolve(request: SignedInRequest, pk: int) -> HttpResponse:
    return _change(request, pk, comments.resolve_comment)


@role_required(*ALL_TALKERS)
@require_POST
def reopen(request: SignedInRequest, pk: int) -> HttpResponse:
    return _change(request, pk, comments.reopen_comment)


def _change(request: SignedInRequest, pk: int, rule: Callable) -> HttpResponse:
    found = comment_open_to(request, pk)
    rule(comment=found, person=request.user)
    return back_to(request, topic_of(found))


@role_required(Role.REVIEWER, Role.ADMIN)
@require_POST
def answer(request: SignedInRequest, pk: int) -> HttpResponse:
    found = comment_open_to(request, pk)
    text = request.POST.get("text", "")
    try:
        comments.answer_question(ask=found, person=request.user, text=text)
    except Refusal as refusal:
        if found.annotation is None:  # a comment on something else
            raise
        more = {"error": refusal.message, "typed": text.replace("\0", ""), "typed_to": found.pk}
        return _page(request, found.annotation, refusal.status, **more)
    messages.success(
        request,
        say(
            "Answered: “{title}” is with {author} again.",
            title=found.annotation.tag.article.title,
            author=found.author,
        ),
    )
    return redirect("comments")


@role_required(Role.ADMIN)
@require_POST
def hand_back(request: SignedInRequest, pk: int) -> HttpResponse:
    found = comment_open_to(request, pk)
    comments.hand_back(ask=found, admin=request.user)
    messages.success(
        request, say("“{title}” is back in the queue for others.", title=found.annotation.tag.article.title)
    )
    return redirect("comments")


@role_required(Role.ANNOTATOR)
@require_http_methods(["GET", "POST"])
def ask(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask a question that the tag then waits for, and continue with the next tag."""
    shown = own_annotation(request, pk)
    text, field = request.POST.get("text", ""), request.POST.get("field", "")
    refused, status = "", 200
    if request.method == "POST":
        try:
            comments.ask_question(annotation=shown, annotator=request.user, text=text, field=field)
        except Refusal as refusal:
            refused, status = refusal.message, refusal.status
        else:
            messages.success(
                request,
                say(
                    "Asked about “{title}”. It is waiting for the answer and stays yours.",
                    title=shown.tag.article.title,
                ),
            )
            return redirect(next_address(request))
    context = {
        "annotation": shown,
        "ask_fields": fields_to_discuss(content_of(shown)),
        "refused": refused,
        "typed": text.replace("\0", ""),
        "chosen": field,
    }
    return render(request, "annotation/desk_ask.html", context, status=status)


def annotation_open_to(request: SignedInRequest, pk: int) -> Annotation:
    found = annotations_open_to(request.user).select_related("tag__article__wiki", "annotator")
    return get_object_or_404(found.defer("tag__article__wikitext"), pk=pk)


def comment_open_to(request: SignedInRequest, pk: int) -> Comment:
    found = Comment.objects.filter(comments_open_to(request.user))
    return get_object_or_404(
        found.select_related("author", "annotation__annotator", "annotation__tag__article").defer(
            "annotation__tag__article__wikitext"
        ),
        pk=pk,
    )


# --- The same for every topic -------------------------------------------------------------------------------------


def field_of(request: SignedInRequest, topic: Topic) -> str | None:
    """The field of the fragment; None for all fields."""
    name = request.GET.get("field")
    return name if name == "" or (name and topic.has(name)) else None


def fragment_of(request: SignedInRequest, topic: Topic, status: int = 200, **more) -> HttpResponse:
    inline = request.GET.get("inline") == "1"
    talk = conversation_about(topic, person=request.user, only=field_of(request, topic), inline=inline, **more)
    return render(request, "annotation/_comments.html", {"talk": talk}, status=status)


def write_about(request: SignedInRequest, topic: Topic, page: Callable[..., HttpResponse]) -> HttpResponse:
    """Write the posted text as a comment on the topic. `page` shows the whole page again, with a status and the typed
    text, if no fragment was requested.
    """
    text, field = request.POST.get("text", ""), request.POST.get("field", "")
    number = whole_number(request.POST.get("reply_to"))
    reply_to = None if number is None else comment_open_to(request, number)
    quote, near = request.POST.get("quote", ""), whole_number(request.POST.get("near"), most=MOST_NUMBER) or 0
    try:
        comments.write_comment(
            topic=topic, person=request.user, text=text, field=field, reply_to=reply_to, quote=quote, near=near
        )
    except Refusal as refusal:
        # The typed text is shown again, with the reason.
        more = {"error": refusal.message, "typed": text.replace("\0", ""), "typed_to": reply_to and reply_to.pk}
        more |= {"quote": quote.replace("\0", "")} | (
            {} if field_of(request, topic) is not None else {"chosen": field}
        )
        if request.headers.get("HX-Request"):
            return fragment_of(request, topic, refusal.status, **more)
        return page(refusal.status, **more)
    return back_to(request, topic)


def back_to(request: SignedInRequest, topic: Topic) -> HttpResponse:
    """The comments again, after one was changed."""
    if request.headers.get("HX-Request"):
        return fragment_of(request, topic)
    return redirect(topic.conversation_address(request.user))
