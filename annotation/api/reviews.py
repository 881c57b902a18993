"""For reviewers and admins: annotations to review, and decisions. For everyone in a conversation: comments and
questions.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from rest_framework.response import Response

from core.api.doors import Door, gives, lists, takes
from core.api.serializers import ReasonIn
from core.lists.filters import Filters
from core.models import Role

from ..desk import decisions
from ..desk.comments import comments
from ..desk.comments.about_annotations import AboutAnnotation
from ..desk.comments.conversations import conversation_about, open_questions_for
from ..desk.comments.topics import Topic
from ..desk.visibility import note_opened, note_seen
from ..models import Annotation, Comment, ReviewState
from ..reviewing import queue
from ..reviewing.disagreements import DisagreementFilters, DisagreementList
from ..views.desk.comments import ALL_TALKERS, TALKERS, annotation_open_to, comment_open_to
from .serializers import (
    AcceptIn,
    AnswerIn,
    CommentIn,
    CommentOut,
    DisagreementOut,
    ExcludeIn,
    ReturnIn,
    ReviewedOut,
    ReviewOut,
)

REVIEWERS = (Role.REVIEWER, Role.ADMIN)


class ReviewFilters(Filters):
    """The filters of the list of reviews."""

    state = forms.ChoiceField(choices=[(each.value, each.label) for each in queue.SHOWN], initial="waiting")
    mine = forms.ChoiceField(choices=[("no", "without your own")])


class ReviewDoor(Door):
    roles = REVIEWERS


class Reviews(ReviewDoor):
    @lists(ReviewOut, ReviewFilters)
    def get(self, request: Any) -> Response:
        """Annotations by review state, those waiting longest first. Reading the list counts as having seen its
        rows."""
        chosen = self.filters(ReviewFilters).chosen
        state, found = ReviewState(chosen["state"]), queue.listed_for(request.user)
        if chosen["mine"]:
            found = found.exclude(annotator=request.user)
        return self.page(
            found.in_review_state(state, request.user),
            gives=ReviewOut,
            window=queue.annotations_near(state),
            fetch=queue.listed_annotations,
            seen=lambda shown: self._note(shown, state),
        )

    def _note(self, shown: list[Annotation], state: ReviewState) -> None:
        if state != ReviewState.INCOMPLETE:
            note_seen([each.pk for each in shown], reader=self.request.user)


class ReviewsNext(ReviewDoor):
    @gives(ReviewedOut, or_none=True)
    def get(self, request: Any) -> Response:
        """The annotation that has waited longest for you; 204 if none waits."""
        found = queue.next_annotation(reviewer=request.user)
        return _reviewed(request, found.pk) if found else Response(status=204)


class Review(ReviewDoor):
    @gives(ReviewedOut)
    def get(self, request: Any, pk: int) -> Response:
        """One annotation. You count as having seen it from then on."""
        return _reviewed(request, pk)


def _reviewed(request: Any, pk: int) -> Response:
    return Response(ReviewedOut(queue.find_annotation(reviewer=request.user, pk=pk)).data)


def _decide(request: Any, pk: int, rule: Callable, sent: Mapping[str, Any]) -> Response:
    rule(annotation=queue.find_annotation(reviewer=request.user, pk=pk), reviewer=request.user, **sent)
    return _reviewed(request, pk)


class ReviewAccept(ReviewDoor):
    @takes(AcceptIn, ReviewedOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Accept it for the next release."""
        return _decide(request, pk, decisions.accept_annotation, sent)


class ReviewReturn(ReviewDoor):
    @takes(ReturnIn, ReviewedOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Return it to its annotator with a message."""
        return _decide(request, pk, decisions.return_annotation, sent)


class ReviewExclude(ReviewDoor):
    @takes(ExcludeIn, ReviewedOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Exclude it for good, with the reason."""
        return _decide(request, pk, decisions.exclude_annotation, sent)


class ReviewReconsider(ReviewDoor):
    @takes(ReasonIn, ReviewedOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Return an accepted or excluded annotation to those waiting for review."""
        return _decide(request, pk, decisions.reconsider_annotation, sent)


class Disagreements(ReviewDoor):
    @lists(DisagreementOut, DisagreementFilters)
    def get(self, request: Any) -> Response:
        """Tags that people annotated differently, newest first, with their values. You count as having seen the
        annotations from then on."""
        filters = self.filters(DisagreementFilters)
        found = DisagreementList(filters, request.user)
        window, context = found.window(), {"field": filters.chosen["field"]}
        return self.page(
            window.rows,
            gives=DisagreementOut,
            window=window,
            among=found.among,
            fetch=found.shown,
            context=context,
        )


# --- Comments and questions ---------------------------------------------------------------------------------------


class TalkDoor(Door):
    roles = TALKERS


class Questions(TalkDoor):
    @lists(CommentOut)
    def get(self, request: Any) -> Response:
        """Open questions that you may answer, those waiting longest first."""
        return self.page(open_questions_for(request.user), "pk", gives=CommentOut, seen=self._note)

    def _note(self, shown: list[Comment]) -> None:
        note_seen([each.annotation.pk for each in shown], reader=self.request.user)


class Comments(TalkDoor):
    @gives(CommentOut(many=True))
    def get(self, request: Any, pk: int) -> Response:
        """The comments on an annotation, each with its replies. They count as read from then on."""
        topic = AboutAnnotation(annotation_open_to(request, pk))
        note_opened([topic.annotation], reader=request.user)
        talk = conversation_about(topic, person=request.user, beside_fields=False)
        said = [each for thread in talk.threads for each in (thread.comment, *thread.replies)]
        return Response(CommentOut(said, many=True).data)

    @takes(CommentIn, CommentOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Write a comment on a field, or on the whole annotation, or reply to one."""
        written = write_about(request, AboutAnnotation(annotation_open_to(request, pk)), sent)
        return Response(CommentOut(written).data, status=201)


def write_about(request: Any, topic: Topic, sent: Mapping[str, Any]) -> Comment:
    """Write a program's input as a comment on the topic."""
    number = sent.get("reply_to")
    return comments.write_comment(
        topic=topic,
        person=request.user,
        text=sent["text"],
        field=sent["field"],
        reply_to=None if number is None else comment_open_to(request, number),
        quote=sent.get("quote", ""),
    )


class AllTalkDoor(Door):
    roles = ALL_TALKERS


class CommentResolve(AllTalkDoor):
    @takes(None, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Resolve a thread."""
        comments.resolve_comment(comment=comment_open_to(request, pk), person=request.user)
        return Response(status=204)


class CommentReopen(AllTalkDoor):
    @takes(None, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Open a resolved thread again."""
        comments.reopen_comment(comment=comment_open_to(request, pk), person=request.user)
        return Response(status=204)


class CommentAnswer(ReviewDoor):
    @takes(AnswerIn, CommentOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Answer a question that a tag is waiting for. The tag goes back to its annotator."""
        answer = comments.answer_question(ask=comment_open_to(request, pk), person=request.user, text=sent["text"])
        return Response(CommentOut(answer).data, status=201)
