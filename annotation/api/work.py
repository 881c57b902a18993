"""For annotators: take the next tag, write, submit; skip, flag, ask, hand back."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from rest_framework.response import Response

from core.api.doors import IF_MATCH, Door, gives, lists, takes, version_of
from core.api.problems import Problem
from core.api.serializers import ReasonIn
from core.lists.pages import Window
from core.models import Role

from ..desk.assignments.assignment import claim_next_tag, flag_tag, hand_back, renew_lease, skip_tag, take_up_again
from ..desk.comments.comments import ask_question
from ..desk.decisions import reopen_annotation
from ..desk.drafts.drafts import SaveResult, save_draft
from ..desk.drafts.submission import submit_annotation
from ..desk.work.my_work import work_of
from ..models import Annotation
from ..views.desk.own import own_annotation, own_or_none, own_row
from .serializers import (
    AnnotationOut,
    CommentOut,
    DraftIn,
    QuestionIn,
    ReopenIn,
    SavedOut,
    StandingOut,
    SubmissionIn,
    WorkOut,
)


class OwnWork(Door):
    """An address for annotators, who reach their own annotations only."""

    roles = (Role.ANNOTATOR,)


def whole(annotation: Annotation) -> Response:
    return Response(AnnotationOut(annotation).data, headers={"ETag": f'"{annotation.version}"'})


class Assignments(OwnWork):
    @lists(WorkOut)
    def get(self, request: Any) -> Response:
        """Your own annotations, newest first."""
        window = Window(Annotation.objects.filter(annotator=request.user))
        return self.page(work_of(request.user).order_by(), gives=WorkOut, window=window)


class AssignmentsNext(OwnWork):
    @takes(None, AnnotationOut, or_none=True)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Response:
        """Take the tag to work on next: the current one if you have one. 204 if there is no tag for you."""
        annotation = claim_next_tag(annotator=request.user)
        return whole(own_annotation(request, annotation.pk)) if annotation else Response(status=204)


class OwnAnnotation(OwnWork):
    @gives(AnnotationOut)
    def get(self, request: Any, pk: int) -> Response:
        """One of your annotations. Its ETag is the version that saves are based on."""
        return whole(own_annotation(request, pk))


class AnnotationDraft(OwnWork):
    @takes(DraftIn, SavedOut, IF_MATCH)
    def put(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Save the whole form. A save based on an old version is refused: the 412 response has the current
        content.
        """
        result = save_draft(annotation=own_annotation(request, pk), annotator=request.user, **_form(request, sent))
        return _saved(result)


class AnnotationSubmit(OwnWork):
    @takes(SubmissionIn, SavedOut, IF_MATCH)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Save the whole form and submit it for review. 422 lists what is missing; even then the form is saved."""
        found = own_annotation(request, pk)
        form = _form(request, sent)
        result = submit_annotation(annotation=found, annotator=request.user, guideline=sent.get("guideline"), **form)
        if result.save.is_saved and not result.is_submitted:
            raise Problem(
                "Saved, but not submitted: something is missing, or was filled in by the program and not looked at.",
                status=422,
                headers={"ETag": f'"{result.save.version}"'},
                errors=[{"pointer": f"/content/{each.field}", "detail": each.message} for each in result.problems],
            )
        return _saved(result.save)


def _form(request: Any, sent: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a save. A repeated request names the same operation by its key, if that is a UUID."""
    try:
        operation = UUID(request.headers.get("Idempotency-Key", ""))
    except ValueError:
        operation = uuid4()
    based_on = {"base_version": version_of(request), "operation": operation, "tab": "api"}
    return {"content": sent["content"], "seen": sent.get("seen", [])} | based_on


def _saved(result: SaveResult) -> Response:
    if not result.is_saved:
        raise Problem(
            "Not saved: the annotation has changed since the version that this is based on.",
            status=412,
            headers={"ETag": f'"{result.version}"'},
            version=result.version,
            content=result.content,
        )
    body = SavedOut({"version": result.version, "standing": result.standing}).data
    return Response(body, headers={"ETag": f'"{result.version}"'})


class AnnotationRenew(OwnWork):
    @takes(None, StandingOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Keep the tag: send this while you work, or the tag goes back to the queue."""
        standing = renew_lease(annotation=own_row(request, pk), annotator=request.user)
        return Response({"standing": standing})


class AnnotationSkip(OwnWork):
    @takes(ReasonIn, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Skip the tag. It is not offered to you again."""
        skip_tag(annotation=own_annotation(request, pk), annotator=request.user, reason=sent["reason"])
        return Response(status=204)


class AnnotationFlag(OwnWork):
    @takes(ReasonIn, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Flag the tag for an admin. The draft is kept."""
        flag_tag(tag=own_annotation(request, pk).tag, annotator=request.user, reason=sent["reason"])
        return Response(status=204)


class AnnotationAsk(OwnWork):
    @takes(QuestionIn, CommentOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Ask a question. The tag waits for the answer."""
        asked = ask_question(annotation=own_annotation(request, pk), annotator=request.user, **sent)
        return Response(CommentOut(asked).data, status=201)


class AnnotationHandBack(OwnWork):
    @takes(None, None, status=204)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Hand the tag back to the queue. Your text is kept as a draft."""
        hand_back(annotation=own_annotation(request, pk), annotator=request.user)
        return Response(status=204)


class AnnotationReopen(OwnWork):
    @takes(ReopenIn, AnnotationOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Take a submitted annotation back, until it is decided on."""
        following = own_or_none(request, sent.get("following"))
        reopen_annotation(annotation=own_annotation(request, pk), annotator=request.user, following=following)
        return whole(own_annotation(request, pk))


class AnnotationResume(OwnWork):
    @takes(None, StandingOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Response:
        """Continue a draft that was handed back or skipped, or that waits for an answer."""
        standing = take_up_again(annotation=own_annotation(request, pk), annotator=request.user)
        return Response({"standing": standing})
