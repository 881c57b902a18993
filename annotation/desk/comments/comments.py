"""Comments on an annotation or another topic: write, mention, resolve. About an annotation, people also ask (the tag
then waits) and answer.

Who may read and write is decided by the topic (`annotation.desk.comments.topics`); nobody else gets a notice.
"""

import re
import unicodedata
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from core.languages import say
from core.models import Event, User
from core.models.names import name_key
from core.outside import refuse_unstorable, required_text
from core.refusals import Forbidden, Refusal
from core.writing.locking import lock

from ...content import quoting
from ...models import Annotation, AnnotationAction, Comment, Notice, NoticeKind
from ..assignments.assigning import unassign
from ..assignments.assignment import NO_LONGER_OPEN, stop_waiting, wait_for_answer
from ..mail_outbox import mail_notices
from .about_annotations import AboutAnnotation
from .topics import Topic, comments_open_to, topic_of

MOST_CHARACTERS = 10_000
# Not the second half of an email address.
MENTION = re.compile(r"(?<![\w@.+-])@([\w.@+-]+)")


@transaction.atomic
def write_comment(
    *,
    topic: Topic,
    person: User,
    text: str,
    field: str = "",
    reply_to: Comment | None = None,
    quote: str = "",
    near: int = 0,
) -> Comment:
    """Comment on a part of the topic, or on the whole of it if `field` is empty; a reply belongs to its thread.
    `quote` are the quoted words of the part, at the occurrence nearest to the offset `near`.

    The people mentioned, the person replied to and the writer of an annotation get a notice. Raises Refusal if there
    is no text, if there is no such part or it does not have these words, or if a person is mentioned who may not see
    the topic.
    """
    _refuse_hidden(topic, person)
    comment, mentioned = _write(topic, person, text, field, reply_to, quote=quote, near=near)
    root = comment.reply_to
    told = [(one, NoticeKind.MENTION) for one in mentioned]
    told += [(root.author, NoticeKind.REPLY)] if root else []
    told += [(topic.writer, NoticeKind.COMMENT)] if topic.writer else []
    _tell(comment, told)
    action = AnnotationAction.REPLIED if root else AnnotationAction.COMMENTED
    Event.record(action, comment, actor=person, after=_stands_at(topic, comment))
    return comment


@transaction.atomic
def resolve_comment(*, comment: Comment, person: User) -> None:
    """Resolve the thread. Raises Refusal if it is a question still waiting for its answer."""
    topic = topic_of(comment)
    _refuse_hidden(topic, person)
    if comment.is_ask and comment.resolved_at is None:
        raise Refusal(
            say(
                "The tag is waiting for the answer to this question, so only an answer closes it. Nothing was "
                "changed."
            )
        )
    open_ones = Comment.objects.filter(pk=comment.pk, reply_to=None, resolved_at=None)
    if open_ones.update(resolved_at=timezone.now(), resolved_by=person):
        Event.record(AnnotationAction.RESOLVED, comment, actor=person, after=_stands_at(topic, comment))


@transaction.atomic
def reopen_comment(*, comment: Comment, person: User) -> None:
    """Reopen a resolved thread. Raises Refusal if it is a question that the tag waited for: the person has to
    ask again."""
    topic = topic_of(comment)
    _refuse_hidden(topic, person)
    if comment.is_ask:
        raise Refusal(say("The question of a tag cannot be reopened: ask again, or write a comment."))
    if Comment.objects.filter(pk=comment.pk, resolved_at__isnull=False).update(resolved_at=None, resolved_by=None):
        Event.record(AnnotationAction.REOPENED, comment, actor=person, after=_stands_at(topic, comment))


@transaction.atomic
def ask_question(*, annotation: Annotation, annotator: User, text: str, field: str = "") -> Comment:
    """Ask a question; the tag goes to nobody else, and nothing lapses, until a reviewer or an admin answers.

    Raises Refusal if the tag is not this person's now or is already waiting for an answer, and as `write_comment`
    does.
    """
    annotation.check_own(annotator)
    wait_for_answer(annotation=annotation, annotator=annotator)
    comment, mentioned = _write(AboutAnnotation(annotation), annotator, text, field, None, is_ask=True)
    _tell(comment, [(person, NoticeKind.MENTION) for person in mentioned])
    Event.record(AnnotationAction.ASKED, annotation, actor=annotator, before={"asked": False}, after={"asked": True})
    return comment


@transaction.atomic
def answer_question(*, ask: Comment, person: User, text: str) -> Comment:
    """Answer a question that a tag is waiting for; the tag goes back to its annotator, with the answer at the top of
    the form.

    Raises Refusal if it is the person's own question, if there is no text, or if the question is no longer waiting.
    """
    if not ask.is_ask or ask.annotation is None:
        raise Refusal(
            say("No tag is waiting for an answer to this comment: reply to it instead. Nothing was changed.")
        )
    annotation, topic = ask.annotation, AboutAnnotation(ask.annotation)
    _refuse_hidden(topic, person)
    if annotation.annotator_id == person.pk:
        raise Forbidden(
            say(
                "You asked this question yourself, so another person has to answer it. You can continue without "
                "the answer."
            )
        )
    # Lock annotation, assignment, comment in this order, as asking and handing back do.
    lock(Annotation.objects.filter(pk=annotation.pk))
    stop_waiting(annotation=annotation, with_lease=False)
    # The assignment may wait for the answer to a later question.
    if not Comment.objects.open_asks().filter(pk=ask.pk).update(resolved_at=timezone.now(), resolved_by=person):
        raise Refusal(NO_LONGER_OPEN)
    answer, mentioned = _write(topic, person, text, ask.field, ask)
    _tell(answer, [(ask.author, NoticeKind.ANSWER), *((one, NoticeKind.MENTION) for one in mentioned)])
    Event.record(AnnotationAction.ANSWERED, annotation, actor=person, before={"asked": True}, after={"asked": False})
    return answer


@transaction.atomic
def hand_back(*, ask: Comment, admin: User) -> None:
    """Return the tag of an open question to the queue, for others. Raises Refusal if it is no longer waiting."""
    if ask.annotation is None or not Comment.objects.open_asks().filter(pk=ask.pk).exists():
        raise Refusal(NO_LONGER_OPEN)
    unassign(tag=ask.annotation.tag, annotator=ask.author, admin=admin)


def follow_questions(annotation: Annotation, moved: dict[str, str]) -> None:
    """Move the comments on questions whose numbers changed (`content.moved_questions`)."""
    if not moved:
        return
    for comment in Comment.objects.filter(annotation=annotation, field__in=moved):
        Comment.objects.filter(pk=comment.pk).update(field=moved[comment.field])


def mark_read(*, person: User, comments: Iterable[Comment] | None = None) -> None:
    """Mark these comments, or all those in this person's notices, as read."""
    unread = Notice.objects.filter(person=person, read_at=None)
    if comments is None:
        open_to_them = unread.filter(comments_open_to(person, path="comment__"))
        comments = [notice.comment for notice in open_to_them.select_related("comment")]
    unread.filter(comment__in=[one.pk for one in comments]).update(read_at=timezone.now())


def _write(
    topic: Topic,
    person: User,
    text: str,
    field: str,
    reply_to: Comment | None,
    *,
    is_ask: bool = False,
    quote: str = "",
    near: int = 0,
) -> tuple[Comment, list[User]]:
    text = _cleaned(text)
    if reply_to is not None:
        reply_to = reply_to.reply_to or reply_to
        field = reply_to.field
        if topic_of(reply_to).key != topic.key:
            raise Refusal(
                say("That comment is about another {topic}. Nothing was written.", topic=topic.name), status=400
            )
    elif field and not topic.has(field):
        raise Refusal(say("The page has no such field. Reload it; nothing was written."), status=400)
    mentioned = _mentioned(text, topic, person)
    field_text = "" if reply_to else topic.text(field)
    words, start = ("", None) if reply_to else _quoted(quote, near, topic.label(field) if field else "", field_text)
    comment = topic.create(
        person,
        {
            "about": topic.kind,
            "reply_to": reply_to,
            "field": field,
            "field_text": field_text,
            "quote": words,
            "quote_start": start,
            "text": text,
            "is_ask": is_ask,
        },
    )
    return comment, mentioned


def _quoted(quote: str, near: int, label: str, field_text: str) -> tuple[str, int | None]:
    """The quoted words of a comment and their offset. Raises Refusal if the field of this label does not have
    them.
    """
    refuse_unstorable(quote)
    words = quote.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not words:
        return "", None
    if not label:
        raise Refusal(say("Choose the field that has these words. Nothing was written."), status=400)
    if len(words) > quoting.MOST_CHARACTERS:
        raise Refusal(
            say(
                "At most {most:,} characters can be quoted. Choose fewer words; nothing was written.",
                most=quoting.MOST_CHARACTERS,
            ),
            status=400,
        )
    found = quoting.as_in_text(field_text, words, near)
    if found is None:
        raise Refusal(
            say(
                "“{label}” does not have these words, or no longer has them. Select them again, or leave the "
                "words empty; nothing was written.",
                label=label,
            ),
            status=400,
        )
    return found


def _cleaned(text: str) -> str:
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    text = required_text(unified, say("Write something first. Nothing was changed."))
    if len(text) > MOST_CHARACTERS:
        raise Refusal(
            say(
                "A comment has at most {most:,} characters. Nothing was changed.",
                most=MOST_CHARACTERS,
            ),
            status=400,
        )
    return text


def _mentioned(text: str, topic: Topic, writer: User) -> list[User]:
    """The people mentioned in the text with an @. Raises Refusal if a name belongs to nobody who may see the comment:
    its writer would wait for a person who is never told.
    """
    # Composed first: a combining accent is no letter of a name.
    found = [name_key(name) for name in MENTION.findall(unicodedata.normalize("NFC", text))]
    if not found:
        return []
    people = {name_key(person.username): person for person in topic.people()}
    # A name may end in a full stop; more often the sentence does.
    names = dict.fromkeys(name if name in people else name.rstrip(".@+-") or name for name in found)
    unknown = [name for name in names if name not in people]
    if unknown:
        others = [f"@{person.username}" for person in people.values() if person != writer]
        raise Refusal(
            say(
                "“@{name}” {closed}, so they would not be notified. Write the name without @, or "
                "mention one of: {others}.",
                name=unknown[0],
                closed=topic.closed_to_them,
                others=", ".join(others[:20]),
            ),
            status=400,
        )
    return [people[name] for name in names]


def _tell(comment: Comment, told: list[tuple[User, NoticeKind]]) -> None:
    """Give each of these people except the writer one notice; the first reason counts."""
    reasons: dict[int, NoticeKind] = {}
    for person, kind in told:
        if person.pk != comment.author_id:
            reasons.setdefault(person.pk, kind)
    notices = [Notice(comment=comment, person_id=person_id, kind=kind) for person_id, kind in reasons.items()]
    Notice.objects.bulk_create(notices)
    mail_notices(comment, notices)


def _stands_at(topic: Topic, comment: Comment) -> dict[str, object]:
    return topic.stands_at() | {"about": topic.label(comment.field)}


def _refuse_hidden(topic: Topic, person: User) -> None:
    if not topic.is_open_to(person):
        raise Forbidden(say("This {topic} is not open to you. Nothing was changed.", topic=topic.name))
