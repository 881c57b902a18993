"""Topics of comments: annotations, and those that the apps above register, such as responses.

A `Topic` says who may read and write about one thing, whom a comment may name, and which texts of it can be quoted.
Code that writes, resolves, lists or mails comments asks the topic, and never the thing itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from django.db.models import Q, QuerySet

from core.models import User

from ...models import Comment


class Topic(ABC):
    """Something that people comment on, with its access rules."""

    # As `Comment.about` stores it.
    kind: ClassVar[str]
    # The same in words.
    name: ClassVar[str]
    # The thing as a whole, in words.
    whole: ClassVar[str]
    # The words of a refusal about a mentioned person who could never read the comment.
    closed_to_them: ClassVar[str]

    @property
    @abstractmethod
    def key(self) -> str:
        """The name of the topic in ids and in the browser's storage."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The name of the topic in lists and letters."""

    @abstractmethod
    def is_open_to(self, person: User) -> bool:
        """Return whether this person may read and write comments on it."""

    @abstractmethod
    def people(self) -> QuerySet[User]:
        """The people whom a comment may mention; the same for all writers, as a refused name would reveal others'
        work.
        """

    @abstractmethod
    def fields(self) -> list[tuple[str, str]]:
        """Names and labels of its parts that can be commented on, in order."""

    @abstractmethod
    def label(self, field: str) -> str:
        """A part in words; "" is the whole."""

    @abstractmethod
    def has(self, field: str) -> bool:
        """Return whether there is such a part."""

    @abstractmethod
    def text(self, field: str) -> str:
        """The current text of the part; "" for the whole."""

    @abstractmethod
    def position(self, field: str) -> int:
        """The position of the part among the others."""

    @abstractmethod
    def comments(self, person: User) -> QuerySet[Comment]:
        """The comments on it that this person may read, without checking whether it is open to them."""

    @abstractmethod
    def create(self, author: User, values: Mapping[str, object]) -> Comment:
        """Write the rows of a comment on it."""

    @abstractmethod
    def write_address(self) -> str:
        """The address for sending a new comment."""

    @abstractmethod
    def conversation_address(self, reader: User) -> str:
        """The page where this person reads and writes about it."""

    @abstractmethod
    def address(self, comment: Comment, reader: User) -> str:
        """The page where this person reads the comment."""

    @abstractmethod
    def stands_at(self) -> dict[str, object]:
        """The subject of a comment in the activity log."""

    @classmethod
    @abstractmethod
    def comments_open_to(cls, person: User, comment: str) -> Q | None:
        """A condition on rows whose column `comment` is a comment: those on topics of this kind that the person may
        read; None if their roles open none.
        """

    @classmethod
    @abstractmethod
    def of(cls, comments: Collection[Comment]) -> dict[int, "Topic"]:
        """The topics of these comments of this kind, by the comment's primary key."""

    @classmethod
    @abstractmethod
    def note_seen(cls, comments: Collection[Comment], *, reader: User) -> None:
        """Record that this person was shown these comments."""

    def note_read(self, comments: Collection[Comment], *, reader: User) -> None:
        """Record that this person opened the conversation with these comments."""
        self.note_seen(comments, reader=reader)

    @property
    def writer(self) -> User | None:
        """The person whose work it is: they are notified of every comment."""
        return None

    def read_by(self, person: User) -> str:
        """The future readers of this person's comment, in words, where they are not obvious."""
        return ""

    @property
    def may_ask(self) -> bool:
        """Return whether its writer can ask a question that it waits for."""
        return False

    def may_answer(self, person: User) -> bool:
        """Return whether this person may answer such a question."""
        return False


_kinds: dict[str, type[Topic]] = {}


def register(topic: type[Topic]) -> None:
    """Register a kind of topic."""
    _kinds[topic.kind] = topic


def comments_open_to(person: User, *, path: str = "") -> Q:
    """A filter of comments, or of rows that lead to one by `path`: those that this person may read."""
    column = path.removesuffix("__") or "pk"
    open_ones = [kind.comments_open_to(person, column) for kind in _kinds.values()]
    found = Q()
    for each in filter(None, open_ones):
        found |= each
    return found


def topics_of(comments: Iterable[Comment]) -> dict[int, Topic]:
    """The topic of each of these comments, by the comment's primary key; one query per kind."""
    found: dict[int, Topic] = {}
    for kind, some in _by_kind(comments).items():
        found |= kind.of(some)
    return found


def topic_of(comment: Comment) -> Topic:
    return topics_of([comment])[comment.pk]


def note_comments_seen(comments: Iterable[Comment], *, reader: User) -> None:
    """Record that this person was shown these comments, of any topic. Do not call it in a transaction."""
    for kind, some in _by_kind(comments).items():
        kind.note_seen(some, reader=reader)


def _by_kind(comments: Iterable[Comment]) -> dict[type[Topic], list[Comment]]:
    found: dict[type[Topic], list[Comment]] = {}
    for comment in comments:
        found.setdefault(_kinds[comment.about], []).append(comment)
    return found
