"""Responses as topics of comments: on a response, on words of it, and on the texts that it is about.

This module decides who may read and write what, so that judging stays blind; docs/reviewing.md says why. An admin who
judges in no unfinished round reads and writes everywhere. People who may adjudicate a response read comments written
without knowing the model, and everything once its round is finished. Nobody else reads or writes anything.
"""

from collections.abc import Collection, Mapping
from functools import cached_property

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from annotation.desk.comments.topics import Topic
from annotation.kinds.registry import quotable_texts
from annotation.models import Comment
from core.languages import say
from core.models import Role, User
from core.writing.reads import record_read

from ..models import Response, ResponseComment
from ..runs.blinding import is_blind, judges_unfinished, may_adjudicate, note_comments_read

THE_RESPONSE = "response"
# The relations that have the texts of a response's parts.
TEXTS_OF = ("response__instance", "response__variant", "response__template")
READ_BY_ADMINS = say(
    "You may know which model wrote this response, so for now only admins who do not judge can read your comment. "
    "The adjudicator can read it once the round is finished."
)
READ_BY_ADJUDICATORS = say("The adjudicator of this response and admins who do not judge can read your comment.")


def responses_open_to(person: User) -> QuerySet[Response]:
    """The responses on which this person may read and write comments."""
    named, adjudicated, _ = _conditions(person, "pk")
    return Response.objects.filter(named | adjudicated)


def readable_by(person: User) -> Q:
    """A condition on `ResponseComment`: the comments that this person may read."""
    named, adjudicated, finished = _conditions(person, "response")
    return named | finished | (adjudicated & Q(knows_model=False))


def reads_all(person: User) -> bool:
    """Return whether the person certainly reads every comment. Most readers do, and the condition `readable_by` is
    long.
    """
    return person.has_role(Role.ADMIN) and not person.stands_for_many and not is_blind(person)


def knows_models(person: User, response: Response) -> bool:
    """Return whether this person may know the response's model: then only people who know it read their comment."""
    named, _, finished = _conditions(person, "pk")
    return Response.objects.filter(named | finished, pk=response.pk).exists()


def _conditions(person: User, response: str) -> tuple[Q, Q, Q]:
    """Conditions on rows whose column `response` is a response: that the person may know its model as an admin; that
    they may adjudicate it; that they may and its round is finished.
    """
    not_blind = ~Q(judges_unfinished(person))
    named = not_blind if person.has_role(Role.ADMIN) else Q(pk__in=[])
    adjudicated, finished = may_adjudicate(person, OuterRef(response))
    return named, adjudicated, finished & not_blind


class AboutResponse(Topic):
    """A response as a topic of comments."""

    kind = "response"
    name = say("response")
    whole = say("the response as a whole")
    closed_to_them = say("neither adjudicates nor is an admin")

    def __init__(self, response: Response) -> None:
        self.response = response

    @cached_property
    def _texts(self) -> dict[str, tuple[str, str]]:
        """Label and text of each part, by its name. The texts of a variant are separate parts."""
        variant = self.response.variant
        texts = {THE_RESPONSE: (say("The response"), self.response.answer)} | quotable_texts(self.response.instance)
        if variant:
            texts |= self.response.template.what.variant_texts(variant.content)
        return {name: part for name, part in texts.items() if part[1]}

    @property
    def key(self) -> str:
        return f"response/{self.response.key}"

    @property
    def title(self) -> str:
        return self.response.instance.question

    def is_open_to(self, person: User) -> bool:
        return responses_open_to(person).filter(pk=self.response.pk).exists()

    def people(self) -> QuerySet[User]:
        """Admins and adjudicators, regardless of whether they may read it at present: a refused name would reveal who
        judges the response.
        """
        by_role = Q(groups__name__in=[Role.ADMIN, Role.ADJUDICATOR]) | Q(is_superuser=True)
        return User.objects.filter(by_role, is_active=True).distinct().order_by("username")

    def fields(self) -> list[tuple[str, str]]:
        return [(name, label) for name, (label, _) in self._texts.items()]

    def label(self, field: str) -> str:
        return self._texts[field][0] if field in self._texts else say("The response as a whole")

    def has(self, field: str) -> bool:
        return field in self._texts

    def text(self, field: str) -> str:
        return self._texts[field][1] if field in self._texts else ""

    def position(self, field: str) -> int:
        return ["", *self._texts, field].index(field)

    def comments(self, person: User) -> QuerySet[Comment]:
        rows = ResponseComment.objects.filter(readable_by(person), response=self.response)
        return Comment.objects.filter(pk__in=rows.values("comment"))

    @transaction.atomic
    def create(self, author: User, values: Mapping[str, object]) -> Comment:
        knows = knows_models(author, self.response)
        comment = Comment.objects.create(author=author, **values)
        ResponseComment.objects.create(comment=comment, response=self.response, knows_model=knows)
        return comment

    def write_address(self) -> str:
        return reverse("response_comment", args=[self.response.key])

    def conversation_address(self, reader: User) -> str:
        return f"{self._page(reader)}#comments-all"

    def address(self, comment: Comment, reader: User) -> str:
        return f"{self._page(reader)}#comment-{comment.reply_to_id or comment.pk}"

    def _page(self, reader: User) -> str:
        """The page that does not name the model: the response's own page names it."""
        is_admin = reader.has_role(Role.ADMIN) and knows_models(reader, self.response)
        return reverse("response" if is_admin else "response_comments", args=[self.response.key])

    def read_by(self, person: User) -> str:
        return READ_BY_ADMINS if knows_models(person, self.response) else READ_BY_ADJUDICATORS

    def stands_at(self) -> dict[str, object]:
        return {"response": str(self.response.key)}

    def note_read(self, comments: Collection[Comment], *, reader: User) -> None:
        super().note_read(comments, reader=reader)
        record_read([each for each in comments if each.author_id != reader.pk], reader=reader)

    @classmethod
    def comments_open_to(cls, person: User, comment: str) -> Q | None:
        if not person.has_role(Role.ADMIN, Role.ADJUDICATOR, Role.REVIEWER):
            return None
        found = ResponseComment.objects.filter(comment=OuterRef(comment))
        return Q(Exists(found if reads_all(person) else found.filter(readable_by(person))))

    @classmethod
    def of(cls, comments: Collection[Comment]) -> dict[int, Topic]:
        rows = ResponseComment.objects.filter(comment__in=[each.pk for each in comments])
        return {row.pk: cls(row.response) for row in rows.select_related(*TEXTS_OF)}

    @classmethod
    def note_seen(cls, comments: Collection[Comment], *, reader: User) -> None:
        """Record that the reader no longer judges the response: comments on it may reveal how to judge it."""
        others = [each.pk for each in comments if each.author_id != reader.pk]
        if others:
            rows = ResponseComment.objects.filter(comment__in=others)
            note_comments_read(reader, sorted(set(rows.values_list("response", flat=True))))


def hidden_events(person: User) -> Q:
    """The log entries about comments on responses that this person may not read."""
    if reads_all(person):
        return Q(pk__in=[])
    rows = ResponseComment.objects.filter(comment=OuterRef("subject_id")).exclude(readable_by(person))
    return Q(subject_kind="comment") & Q(Exists(rows))
