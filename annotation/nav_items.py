"""Work waiting for a person in this app, in a few words for the first page."""

from datetime import datetime

from core.engine.queries.counts import Counted, Single
from core.lists.pages import on_a_chip
from core.models import Role, User
from core.navigation import Group, NavItem, Now, Numbers, register
from core.words import plural, up_to

from .desk.assignments.queue import MOST_COUNTED
from .desk.comments.conversations import new_notices_for, open_questions_for, waiting_for_person
from .reviewing.queue import waiting_counts, waiting_since


def near_in_words(count: int, near: int, word: str) -> str:
    """The text of a chip, in words: "1 tag", "more than 99 tags"; empty for 0."""
    number = on_a_chip(count, near)
    if number == "0":
        return ""
    return f"{number.replace('99+', 'more than 99') or 'some'} {word if number == '1' else word + 's'}"


def _comments(user: User, now: datetime) -> dict[str, Counted]:
    questions = open_questions_for(user)
    return {
        "new": new_notices_for(user).order_by()[: MOST_COUNTED + 1],
        "questions": questions.order_by()[: MOST_COUNTED + 1],
        "since": Single(questions.order_by("at").values("at")[:1]),
    }


def _comments_in_words(counts: Numbers) -> str:
    new = f"{up_to(counts['new'], MOST_COUNTED)} new" if counts["new"] else ""
    asked = plural(counts["questions"], "question", most=MOST_COUNTED) if counts["questions"] else ""
    return ", ".join(filter(None, [asked, new]))


def register_nav_items() -> None:
    register(
        NavItem(
            "Annotate",
            "desk",
            Group.WORK,
            (Role.ANNOTATOR,),
            "Check a tag, pick out the two passages, classify the contradiction, write questions.",
            order=10,
            covers=("my_work", "practice"),
        ),
        NavItem(
            "Review annotations",
            "reviews",
            Group.WORK,
            (Role.REVIEWER, Role.ADMIN),
            "Accept an annotation, return it with a message, or exclude it.",
            Now(
                lambda user, now: waiting_counts(user) | {"since": waiting_since(user)},
                lambda counts: near_in_words(counts["waiting"], counts["near"], "annotation"),
            ),
            order=20,
        ),
        NavItem(
            "Questions",
            "comments",
            Group.WORK,
            (Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN, Role.ADJUDICATOR),
            "Annotators' questions, and comments to you on annotations and responses.",
            Now(_comments, _comments_in_words),
            order=50,
            waiting=waiting_for_person,
        ),
        NavItem(
            "Tags",
            "tags",
            Group.DATA,
            (Role.ADMIN,),
            "All contradiction tags with their state, their people and the annotations they need.",
            order=10,
            covers=("progress",),
        ),
        NavItem(
            "Harvests",
            "harvests",
            Group.DATA,
            (Role.ADMIN,),
            "Fetch tagged articles from a wiki, a dump or a file.",
            order=20,
            covers=("wikis",),
        ),
        NavItem(
            "Releases",
            "releases",
            Group.DATA,
            (Role.ADMIN,),
            "Freeze accepted annotations into a numbered benchmark and download it.",
            order=30,
            covers=("import_annotations", "import_label_studio"),
        ),
        NavItem(
            "Guideline",
            "guideline",
            Group.PROJECT,
            (Role.ANNOTATOR, Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN),
            "The rules by which people annotate, and what changed in them.",
            order=15,
        ),
        NavItem("People", "people", Group.PROJECT, (Role.ADMIN,), "Invite people and give them roles.", order=10),
        NavItem(
            "Settings",
            "project",
            Group.PROJECT,
            (Role.ADMIN,),
            "Settings for everyone, such as annotations per tag.",
            order=20,
            covers=("practice_tags", "check_tags"),
        ),
        NavItem(
            "Activity", "activity", Group.PROJECT, (Role.ADMIN,), "Every change with its author and time.", order=30
        ),
    )
