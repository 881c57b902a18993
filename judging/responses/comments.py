"""What admins note about a response, or about some words of it."""

from dataclasses import dataclass

from django.db import transaction

from annotation.content.quoting import MOST_CHARACTERS, as_in_text, quote_in
from core.models import Event, User
from core.outside import refuse_unstorable, required_text
from core.refusals import Refusal

from ..models import JudgingAction, Response, ResponseComment
from .blinding import refuse_names

LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Noted:
    """A comment, and where the answer has its words in UTF-16 units, as browsers count."""

    comment: ResponseComment
    start: int | None


@transaction.atomic
def comment_on_response(
    *, response: Response, person: User, text: str, quote: str = "", near: int = 0
) -> ResponseComment:
    """Note something about the response, or about the words `quote` of its answer, the ones nearest to the offset
    `near`. Nobody but those who may open the page of the response reads it.

    Raises Refusal if there is no text or the answer does not have these words, and Forbidden if the person must not
    know which model wrote it.
    """
    refuse_names(person)
    text = required_text(_lines(text), "Write something first. Nothing was changed.")
    refuse_unstorable(quote)
    words = _lines(quote).strip()
    if len(text) > LONGEST or len(words) > MOST_CHARACTERS:
        raise Refusal(
            f"A comment has at most {LONGEST:,} characters, and quotes at most {MOST_CHARACTERS:,}. Nothing was "
            "written.",
            status=400,
        )
    found = as_in_text(response.answer, words, near) if words else ("", None)
    if found is None:
        raise Refusal("The response does not have these words. Select them again; nothing was written.", status=400)
    comment = ResponseComment.objects.create(
        response=response, author=person, quote=found[0], quote_start=found[1], text=text
    )
    Event.record(JudgingAction.COMMENTED, comment, actor=person, after={"response": str(response.key)})
    return comment


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def comments_on(response: Response) -> list[Noted]:
    """The comments, in the order of writing."""
    answer = response.answer
    return [
        Noted(each, quote_in(answer, each.quote, each.quote_start or 0).start if each.quote else None)
        for each in response.comments.select_related("author")
    ]
