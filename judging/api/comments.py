"""Comments on responses, for people who may read them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.response import Response as Answer

from annotation.api.reviews import write_about
from annotation.api.serializers import CommentIn, SaidOut
from annotation.desk.comments.conversations import conversation_about
from core.api.doors import Door, gives, takes

from ..responses.comments import AboutResponse
from ..views.comments import TALKERS, response_open_to


class ResponseComments(Door):
    roles = TALKERS

    @gives(SaidOut(many=True))
    def get(self, request: Any, key: UUID) -> Answer:
        """The comments on a response, each with its replies, without those that would reveal its model too early.
        From then on you count as having read them, and no longer judge the response.
        """
        talk = conversation_about(AboutResponse(response_open_to(request, key)), person=request.user)
        said = [each for thread in talk.threads for each in (thread.comment, *thread.replies)]
        return Answer(SaidOut(said, many=True).data)

    @takes(CommentIn, SaidOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any], key: UUID) -> Answer:
        """Write a comment on the response, on one of its texts, or on words of either; or reply to one. The fields
        are response, question, and those of the benchmark, such as passage_1.
        """
        written = write_about(request, AboutResponse(response_open_to(request, key)), sent)
        return Answer(SaidOut(written).data, status=201)
