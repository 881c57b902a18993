"""Work waiting for a person in this app, in a few words for the first page."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from core.engine.queries.counts import Counted, Single
from core.languages import Text, joined, say, say_count
from core.lists.pages import on_a_chip
from core.models import Role, User
from core.navigation import Command, Group, NavItem, Now, Numbers, register, register_commands
from core.words import up_to

from .desk.assignments.queue import MOST_COUNTED
from .desk.comments.conversations import new_notices_for, open_questions_for, waiting_for_person
from .reviewing.queue import waiting_counts, waiting_since


def near_in_words(count: int, near: int, says: Callable[..., Text]) -> str:
    """The text of a chip, in words: "1 tag", "more than 99 tags"; empty for 0. `says` puts a number into words, by
    `say_count`.
    """
    number = on_a_chip(count, near)
    if number.isdigit():
        return says(int(number)) if number != "0" else ""
    return says(2, count=say("more than {most:,}", most=int(number.rstrip("+"))) if number else say("some"))


def _annotations(count: int, /, **values: Any) -> Text:
    return say_count(count, "{count:,} annotation", "{count:,} annotations", **values)


def _comments(user: User, now: datetime) -> dict[str, Counted]:
    questions = open_questions_for(user)
    return {
        "new": new_notices_for(user).order_by()[: MOST_COUNTED + 1],
        "questions": questions.order_by()[: MOST_COUNTED + 1],
        "since": Single(questions.order_by("at").values("at")[:1]),
    }


def _comments_in_words(counts: Numbers) -> str:
    new = say("{count} new", count=up_to(counts["new"], MOST_COUNTED)) if counts["new"] else ""
    asked = (
        say_count(counts["questions"], "{count:,} question", "{count:,} questions", most=MOST_COUNTED)
        if counts["questions"]
        else ""
    )
    return joined(filter(None, [asked, new]), ", ")


def register_nav_items() -> None:
    register_commands(
        Command(say("Practise on tags with known answers"), "practice"),
        Command(say("Review the next annotation"), "reviews_next"),
        Command(say("Start a harvest"), "harvest_new"),
        Command(say("Start a search for untagged contradictions"), "untagged_search"),
        Command(say("Allow a wiki"), "wikis"),
        Command(say("Make a release"), "releases", "#make"),
        Command(say("Import annotations"), "import_annotations"),
        Command(say("Set quotas and deadlines"), "workload"),
        Command(say("Edit the guideline"), "guideline_edit"),
        Command(say("Invite a person"), "people", "#invite"),
        Command(say("Add a webhook"), "webhooks", "#new"),
    )
    register(
        NavItem(
            say("Annotate"),
            "desk",
            Group.WORK,
            (Role.ANNOTATOR,),
            say("Check a tag, pick out the two passages, classify the contradiction, write questions."),
            order=10,
            covers=("my_work", "practice"),
        ),
        NavItem(
            say("Review annotations"),
            "reviews",
            Group.WORK,
            (Role.REVIEWER, Role.ADMIN),
            say("Accept an annotation, return it with a message, or exclude it."),
            Now(
                lambda user, now: waiting_counts(user) | {"since": waiting_since(user)},
                lambda counts: near_in_words(counts["waiting"], counts["near"], _annotations),
            ),
            order=20,
            covers=("annotator_disagreements",),
        ),
        NavItem(
            say("Questions"),
            "comments",
            Group.WORK,
            (Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN, Role.ADJUDICATOR),
            say("Annotators' questions, and comments to you on annotations and responses."),
            Now(_comments, _comments_in_words),
            order=50,
            waiting=waiting_for_person,
        ),
        NavItem(
            say("Tags"),
            "tags",
            Group.DATA,
            (Role.ADMIN,),
            say("All contradiction tags with their state, their people and the annotations they need."),
            order=10,
            covers=("progress",),
        ),
        NavItem(
            say("Find"),
            "untagged",
            Group.DATA,
            (Role.ADMIN,),
            say("Look for contradictions that carry no tag, and send them to the queue."),
            order=15,
        ),
        NavItem(
            say("Harvests"),
            "harvests",
            Group.DATA,
            (Role.ADMIN,),
            say("Fetch tagged articles from a wiki, a dump or a file."),
            order=20,
            covers=("wikis",),
        ),
        NavItem(
            say("Releases"),
            "releases",
            Group.DATA,
            (Role.ADMIN,),
            say("Freeze accepted annotations into a numbered benchmark and download it."),
            order=30,
            covers=("import_annotations", "import_label_studio"),
        ),
        NavItem(
            say("Guideline"),
            "guideline",
            Group.PROJECT,
            (Role.ANNOTATOR, Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN),
            say("The rules by which people annotate, and what changed in them."),
            order=15,
        ),
        NavItem(
            say("People"), "people", Group.PROJECT, (Role.ADMIN,), say("Invite people and give them roles."), order=10
        ),
        NavItem(
            say("Settings"),
            "project",
            Group.PROJECT,
            (Role.ADMIN,),
            say("Settings for everyone, such as annotations per tag."),
            order=20,
            covers=("practice_tags", "check_tags"),
        ),
        NavItem(
            say("Activity"),
            "activity",
            Group.PROJECT,
            (Role.ADMIN,),
            say("Every change with its author and time."),
            order=30,
        ),
    )
