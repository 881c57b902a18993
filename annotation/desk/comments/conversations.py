"""Comments as pages show them: the threads of a topic, new ones for a person, open questions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.db.models import Prefetch, QuerySet

from core.engine.queries.counts import count_now
from core.models import Role, User

from ...content.fields import FIELDS, Content
from ...content.quoting import Quote, quote_in
from ...models import Annotation, Comment, Notice
from .about_annotations import AboutAnnotation, field_label, fields_to_discuss
from .comments import mark_read
from .topics import Topic, comments_open_to, topics_of

# How many questions a page shows at once, so that it can be read; the others move up.
QUESTIONS_SHOWN = 200


@dataclass(slots=True)
class Thread:
    """A comment with its replies."""

    comment: Comment
    replies: list[Comment]
    label: str
    # The field's text at that time; beside a shown field, only if it has changed since.
    field_then: str
    # The words that it is about, and whether the field still has them.
    quote: Quote | None = None

    @property
    def waits(self) -> bool:
        """Return whether it is a question that the tag is waiting for."""
        return self.comment.is_ask and self.comment.resolved_at is None


@dataclass(slots=True)
class Conversation:
    """The threads of a topic, or of one of its fields, for one person, with the values that the fragment needs."""

    topic: Topic
    person: User
    # One field's threads; None for all of the annotation.
    only: str | None
    # Inside the desk's form, where no other form can be nested.
    inline: bool
    threads: list[Thread]
    people: list[User]
    fields: list[tuple[str, str]] = field(default_factory=list)
    # A refused comment, why it was refused, and the comment it replied to.
    error: str = ""
    # A note on the readers of a new comment, if needed.
    read_by: str = ""
    typed: str = ""
    typed_to: int | None = None
    chosen: str = ""
    quote: str = ""

    @property
    def key(self) -> str:
        if self.only is None:
            return "all"
        return FIELDS[self.only].id if self.only else "whole"

    @property
    def label(self) -> str:
        return "Comments" if self.only is None else self.topic.label(self.only)

    @property
    def query(self) -> str:
        """The query string that shows the fragment in the same way again."""
        values = {} if self.only is None else {"field": self.only}
        return urlencode(values | ({"inline": "1"} if self.inline else {}))

    @property
    def open(self) -> int:
        return sum(thread.comment.resolved_at is None for thread in self.threads)

    @property
    def may_ask(self) -> bool:
        """Return whether its annotator can ask a question from here."""
        return self.inline and self.topic.may_ask

    @property
    def may_answer(self) -> bool:
        return self.topic.may_answer(self.person)

    @property
    def may_hand_back(self) -> bool:
        return self.person.has_role(Role.ADMIN)


def conversation_about(
    topic: Topic,
    *,
    person: User,
    only: str | None = None,
    inline: bool = False,
    beside_fields: bool = True,
    **more: Any,
) -> Conversation:
    """The threads that this person may read, which are marked as read and as seen. `beside_fields`: the page shows
    the fields themselves. Do not call it in a transaction."""
    threads = threads_of(topic, person, only=only, beside_fields=beside_fields)
    said = [each for thread in threads for each in (thread.comment, *thread.replies)]
    topic.note_read(said, reader=person)
    mark_read(person=person, comments=said)
    return Conversation(
        topic=topic,
        person=person,
        only=only,
        inline=inline,
        threads=threads,
        people=[one for one in topic.people() if one != person],
        fields=topic.fields() if only is None else [],
        read_by=topic.read_by(person),
        **more,
    )


def threads_of(topic: Topic, person: User, *, only: str | None = None, beside_fields: bool = True) -> list[Thread]:
    """The threads, open ones first, then in the order of the form and of writing."""
    open_ones = topic.comments(person)
    replies = open_ones.select_related("author")
    comments = open_ones.filter(reply_to=None).select_related("author", "resolved_by")
    if only is not None:
        comments = comments.filter(field=only)
    found = list(comments.prefetch_related(Prefetch("replies", replies)))
    found.sort(key=lambda one: (one.resolved_at is not None, topic.position(one.field), one.pk))
    return [
        Thread(
            one,
            list(one.replies.all()),
            topic.label(one.field),
            _field_then(one, topic if beside_fields else None),
            _quote_of(one, topic),
        )
        for one in found
    ]


def _quote_of(comment: Comment, topic: Topic) -> Quote | None:
    if not comment.quote:
        return None
    return quote_in(topic.text(comment.field), comment.quote, comment.quote_start or 0)


def _field_then(comment: Comment, beside: Topic | None) -> str:
    then = comment.field_text
    return then if then and not (beside and then == beside.text(comment.field)) else ""


def comment_counts(annotation: Annotation) -> dict[str, tuple[int, int]]:
    """By field: the number of threads, and how many of them are open."""
    counts: dict[str, tuple[int, int]] = {}
    for name, resolved_at in annotation.comments.filter(reply_to=None).values_list("field", "resolved_at"):
        threads, are_open = counts.get(name, (0, 0))
        counts[name] = (threads + 1, are_open + (resolved_at is None))
    return counts


def desk_conversation(annotation: Annotation, person: User, content: Content, *, are_there: bool) -> dict[str, Any]:
    """The comments on the desk: counts at the fields, the open question or its answer, new comments; if there are
    any.
    """
    shown: dict[str, Any] = {"comment_counts": {}, "ask_fields": fields_to_discuss(content)}
    if not are_there:
        return shown
    asks = list(annotation.comments.filter(is_ask=True).order_by("pk"))
    waiting = next((ask for ask in asks if ask.resolved_at is None), None)
    answer = _last_answer(annotation, asks) if waiting is None else None
    notices = Notice.objects.filter(person=person, read_at=None, comment__annotation=annotation)
    new = list(notices.select_related("comment__author"))
    if any(notice.comment == answer for notice in new):
        mark_read(person=person, comments=[answer] if answer else [])
    new = [notice for notice in new if notice.comment != answer]
    return shown | {
        "comment_counts": comment_counts(annotation),
        "waiting_question": waiting,
        "answer": answer,
        "new_comments": [(notice, field_label(notice.comment.field)) for notice in reversed(new)],
    }


def _last_answer(annotation: Annotation, asks: list[Comment]) -> Comment | None:
    """The answer to the last question, unless the annotation has been submitted since."""
    if not asks or not annotation.is_writable:
        return None
    # A comment from before the question was closed is not its answer, and a submission since then has made use of the
    # answer.
    since = max(filter(None, [asks[-1].resolved_at, annotation.submitted_at]))
    answers = asks[-1].replies.filter(at__gte=since).exclude(author=annotation.annotator_id)
    return answers.select_related("author", "reply_to").first()


def notices_for(person: User) -> QuerySet[Notice]:
    """This person's notices, newest first, without those of comments hidden from them."""
    return (
        Notice.objects.filter(comments_open_to(person, path="comment__"), person=person)
        .select_related("comment__author", "comment__annotation__tag__article")
        .defer("comment__annotation__tag__article__wikitext")
        .order_by("-comment__pk")
    )


def new_notices_for(person: User) -> QuerySet[Notice]:
    """The unread ones of these. Who may see what is checked only if there is one."""
    if not Notice.objects.filter(person=person, read_at=None).exists():
        return Notice.objects.none()
    return notices_for(person).filter(read_at=None)


def open_questions_for(person: User) -> QuerySet[Comment]:
    """Open questions that this person may answer, longest waiting first."""
    if not person.has_role(Role.REVIEWER, Role.ADMIN):
        return Comment.objects.none()
    # Only annotators ask, so of the topics it is annotations alone.
    may_read = AboutAnnotation.comments_open_to(person, "pk")
    return _with_tag(Comment.objects.open_asks().exclude(author=person)).filter(may_read)


def _with_tag(comments: QuerySet[Comment]) -> QuerySet[Comment]:
    found = comments.select_related("author", "annotation__tag__article")
    return found.defer("annotation__tag__article__wikitext").order_by("pk")


def questions_shown(person: User) -> tuple[list[Comment], list[Comment]]:
    """The first `QUESTIONS_SHOWN` open questions that this person may answer, and those that they asked."""
    own = _with_tag(Comment.objects.open_asks().filter(author=person))
    return list(open_questions_for(person)[:QUESTIONS_SHOWN]), list(own[:QUESTIONS_SHOWN])


def waiting_for_person(person: User) -> int:
    """The number of this person's new notices and of the questions they may answer."""
    # Every page calls this, and mostly there is nothing: who may see what is checked only if there is something.
    unread = Notice.objects.filter(person=person, read_at=None).order_by()
    there = count_now({"unread": unread[:1], "asked": Comment.objects.open_asks().order_by()[:1]})
    new = notices_for(person).filter(read_at=None).count() if there["unread"] else 0
    return new + (open_questions_for(person).count() if there["asked"] else 0)


@dataclass(frozen=True, slots=True)
class Listed:
    """A comment as lists show it, with its topic and part; `notice` if it comes from a notice."""

    comment: Comment
    title: str
    label: str
    notice: Notice | None = None


def listed(rows: Iterable[Comment | Notice]) -> list[Listed]:
    """Comments or notices as lists show them. Their reader has seen them (`note_comments_seen`)."""
    shown = list(rows)
    notices = [row if isinstance(row, Notice) else None for row in shown]
    comments = [row.comment if isinstance(row, Notice) else row for row in shown]
    topics = topics_of(comments)
    return [
        Listed(comment, topics[comment.pk].title, topics[comment.pk].label(comment.field), notice)
        for comment, notice in zip(comments, notices, strict=True)
    ]
