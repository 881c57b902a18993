"""Comments as pages show them: the threads of an annotation, what is new for a person, open questions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from core.models import Role, User
from core.queries.counts import PreparedCounts
from core.queries.instances import PreparedInstances

from ..content.fields import FIELDS, Content, questions_of
from ..content.quoting import Quote, quote_in
from ..content.rows import content_of
from ..models import Annotation, Comment, Notice
from .comments import annotations_open_to, field_as_text, field_label, mark_read, people_to_mention
from .visibility import note_seen

# How many questions a page shows at once, so that it can be read; the others move up.
QUESTIONS_SHOWN = 200
ORDER = {name: position for position, name in enumerate(["", *FIELDS])}


@dataclass(slots=True)
class Thread:
    """A comment with its replies."""

    comment: Comment
    replies: list[Comment]
    label: str
    # What the field held then; if the field is shown beside it, only if that now holds something else.
    field_then: str
    # The words that it is about, and whether the field still has them.
    quote: Quote | None = None

    @property
    def waits(self) -> bool:
        """Whether it is a question that the tag is waiting on."""
        return self.comment.is_ask and self.comment.resolved_at is None


@dataclass(slots=True)
class Conversation:
    """The threads of an annotation, or of one of its fields, for one person; what the fragment needs to show them."""

    annotation: Annotation
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
        return "Comments" if self.only is None else field_label(self.only)

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
        """Whether its annotator can ask a question from here: only while no other question is open."""
        return self.inline and not self.annotation.comments.open_asks().exists()

    @property
    def may_answer(self) -> bool:
        return self.person.has_role(Role.REVIEWER, Role.ADMIN) and self.annotation.annotator_id != self.person.pk

    @property
    def may_hand_back(self) -> bool:
        return self.person.has_role(Role.ADMIN)


def conversation_about(
    annotation: Annotation,
    *,
    person: User,
    only: str | None = None,
    inline: bool = False,
    beside_fields: bool = True,
    **more: Any,
) -> Conversation:
    """The threads, which are marked as read; they quote the annotation, so it is marked as seen, too.
    `beside_fields`: the page shows the annotation itself."""
    note_seen([annotation.pk], reader=person)
    threads = threads_of(annotation, only=only, beside_fields=beside_fields)
    mark_read(person=person, comments=[each for thread in threads for each in (thread.comment, *thread.replies)])
    return Conversation(
        annotation=annotation,
        person=person,
        only=only,
        inline=inline,
        threads=threads,
        people=[one for one in people_to_mention(annotation) if one != person],
        fields=fields_to_discuss(content_of(annotation)) if only is None else [],
        **more,
    )


def threads_of(annotation: Annotation, *, only: str | None = None, beside_fields: bool = True) -> list[Thread]:
    """The threads, open ones first, then in the order of the form and of writing."""
    replies = Comment.objects.select_related("author")
    comments = annotation.comments.filter(reply_to=None).select_related("author", "resolved_by")
    if only is not None:
        comments = comments.filter(field=only)
    found = list(comments.prefetch_related(Prefetch("replies", replies)))
    found.sort(key=lambda one: (one.resolved_at is not None, ORDER.get(one.field, len(ORDER)), one.pk))
    content = content_of(annotation) if found else {}
    now = content if beside_fields else {}
    return [
        Thread(one, list(one.replies.all()), field_label(one.field), _field_then(one, now), _quote_of(one, content))
        for one in found
    ]


def _quote_of(comment: Comment, content: Content) -> Quote | None:
    if not comment.quote:
        return None
    return quote_in(field_as_text(content, comment.field), comment.quote, comment.quote_start or 0)


def _field_then(comment: Comment, now: Content) -> str:
    then = comment.field_text
    return then if then and not (now and then == field_as_text(now, comment.field)) else ""


def fields_to_discuss(content: Content) -> list[tuple[str, str]]:
    """Names and labels of the fields that can be discussed: of the questions, only those that exist."""
    shown = max(1, len(questions_of(content)))
    hidden = {f"question{number}" for number in range(shown + 1, 11)} | {"origin_confirmed"}
    return [(name, one.label) for name, one in FIELDS.items() if name.split("_answer")[0] not in hidden]


def comment_counts(annotation: Annotation) -> dict[str, tuple[int, int]]:
    """By field: the number of threads, and how many of them are open."""
    counts: dict[str, tuple[int, int]] = {}
    for name, resolved_at in annotation.comments.filter(reply_to=None).values_list("field", "resolved_at"):
        threads, are_open = counts.get(name, (0, 0))
        counts[name] = (threads + 1, are_open + (resolved_at is None))
    return counts


def desk_conversation(annotation: Annotation, person: User, content: Content, *, are_there: bool) -> dict[str, Any]:
    """What the desk shows of comments: counts at the fields, the open question or its answer, what is new; if there
    are any."""
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
    """The answer to the last question, as long as the annotation has not been submitted since."""
    if not asks or not annotation.is_writable:
        return None
    # What was said before the question was closed is not its answer, and a submission since then has made use of the
    # answer.
    since = max(filter(None, [asks[-1].resolved_at, annotation.submitted_at]))
    answers = asks[-1].replies.filter(at__gte=since).exclude(author=annotation.annotator_id)
    return answers.select_related("author", "reply_to").first()


def notices_for(person: User) -> QuerySet[Notice]:
    """This person's notices, newest first, without those of annotations hidden from them."""
    return (
        Notice.objects.filter(_is_open_to(person, "comment__annotation"), person=person)
        .select_related("comment__author", "comment__annotation__tag__article")
        .defer("comment__annotation__tag__article__wikitext")
        .order_by("-comment__pk")
    )


def open_questions_for(person: User) -> QuerySet[Comment]:
    """Open questions that this person may answer, longest waiting first."""
    if not person.has_role(Role.REVIEWER, Role.ADMIN):
        return Comment.objects.none()
    return _with_tag(Comment.objects.open_asks().exclude(author=person)).filter(_is_open_to(person, "annotation"))


def _is_open_to(person: User, annotation: str) -> Exists:
    # Asked of each comment: as a list of all annotations that are open to a person, SQLite would begin with these.
    return Exists(annotations_open_to(person).filter(pk=OuterRef(annotation)))


def own_open_questions(person: User) -> QuerySet[Comment]:
    return _with_tag(Comment.objects.open_asks().filter(author=person))


def _with_tag(comments: QuerySet[Comment]) -> QuerySet[Comment]:
    found = comments.select_related("author", "annotation__tag__article")
    return found.defer("annotation__tag__article__wikitext").order_by("pk")


def questions_shown(person: User) -> tuple[list[Comment], list[Comment]]:
    """The first `QUESTIONS_SHOWN` open questions that this person may answer, and those that they asked."""
    may_answer = person.has_role(Role.REVIEWER, Role.ADMIN)
    to_answer = _to_answer(person.roles).all(person=person.pk) if may_answer else []
    return to_answer, _own_questions.all(person=person.pk)


@lru_cache
def _to_answer(roles: frozenset[str]) -> PreparedInstances[Comment]:
    return PreparedInstances(
        lambda person: open_questions_for(User.with_these_roles(person, roles))[:QUESTIONS_SHOWN], person=int
    )


_own_questions = PreparedInstances(lambda person: own_open_questions(User(pk=person))[:QUESTIONS_SHOWN], person=int)


def waiting_for_person(person: User) -> int:
    """How many new notices they have and questions they may answer."""
    # Every page calls this, and mostly there is nothing: who may see what is checked only if there is something.
    there = _there.now(person=person.pk)
    count = notices_for(person).filter(read_at=None).count() if there["unread"] else 0
    if person.has_role(Role.REVIEWER, Role.ADMIN) and there["asked"]:
        count += open_questions_for(person).count()
    return count


_there = PreparedCounts(
    lambda person: {
        "unread": Notice.objects.filter(person=person, read_at=None).order_by()[:1],
        "asked": Comment.objects.open_asks().order_by()[:1],
    },
    person=int,
)


def with_labels(rows: Iterable[Any]) -> list[tuple[Any, str]]:
    """Comments or notices, each with a label for what it is about."""
    return [(row, field_label(row.comment.field if isinstance(row, Notice) else row.field)) for row in rows]
