"""What is waiting for a person in this app, in a few words for the first page."""

from datetime import datetime

from django.db.models import QuerySet

from core.lists.pages import in_words, on_a_chip, plural
from core.models import Invitation, Role, User
from core.navigation import Group, NavItem, Now, Numbers, register
from core.queries.counts import Counted, Single

from .desk.conversations import notices_for, open_questions_for, waiting_for_person
from .desk.queue import MOST_COUNTED, left_in_words, tags_left, up_to_most
from .models import Annotation, AnnotationState, Harvest, HarvestState, Release, Tag
from .reviewing.queue import waiting_counts


def chip_in_words(number: str, word: str) -> str:
    """What a chip says, in words: "1 tag", "more than 99 tags"."""
    return f"{number.replace('99+', 'more than 99') or 'some'} {word if number == '1' else word + 's'}"


def _up_to(most: int, **counted: QuerySet) -> dict[str, Counted]:
    return {name: rows[: most + 1] for name, rows in counted.items()}


def _desk(user: User, now: datetime) -> dict[str, Counted]:
    mine = Annotation.objects.filter(annotator=user).order_by()
    states = {"drafts": AnnotationState.DRAFT, "returned": AnnotationState.RETURNED}
    own = _up_to(MOST_COUNTED, **{name: mine.filter(state=state) for name, state in states.items()})
    return {"left": tags_left(user, at=now), **own}


def _desk_in_words(counts: Numbers) -> str:
    left = up_to_most(counts["left"])
    parts = [f"{left_in_words(left)} {'tag' if left == 1 else 'tags'} for you"]
    if counts["returned"]:
        parts.append(f"{in_words(counts['returned'], MOST_COUNTED)} returned to you")
    if counts["drafts"]:
        parts.append(plural(counts["drafts"], "draft", most=MOST_COUNTED))
    return ", ".join(parts)


def _reviews(user: User, now: datetime) -> dict[str, Counted]:
    return waiting_counts(user)


def _reviews_in_words(counts: Numbers) -> str:
    return f"{chip_in_words(on_a_chip(counts['waiting'], counts['near']), 'annotation')} waiting"


def _comments(user: User, now: datetime) -> dict[str, Counted]:
    return _up_to(
        MOST_COUNTED,
        new=notices_for(user).filter(read_at=None).order_by(),
        questions=open_questions_for(user).order_by(),
    )


def _comments_in_words(counts: Numbers) -> str:
    new = f"{in_words(counts['new'], MOST_COUNTED)} new"
    if not counts["questions"]:
        return new
    return f"{new}, {plural(counts['questions'], 'question', most=MOST_COUNTED)} waiting"


def _tags(user: User, now: datetime) -> dict[str, Counted]:
    present, flagged = Tag.objects.present().order_by(), Tag.objects.filter(flagged_at__isnull=False, gone_at=None)
    return _up_to(MOST_COUNTED, present=present, flagged=flagged)


def _tags_in_words(counts: Numbers) -> str:
    words = plural(counts["present"], "tag", most=MOST_COUNTED)
    return words + (f", {in_words(counts['flagged'], MOST_COUNTED)} flagged" if counts["flagged"] else "")


def _harvests(user: User, now: datetime) -> dict[str, Counted]:
    return {"running": Harvest.objects.filter(state__in=HarvestState.open()).order_by()}


def _harvests_in_words(counts: Numbers) -> str:
    return f"{counts['running']} running" if counts["running"] else "none running"


def _releases(user: User, now: datetime) -> dict[str, Counted]:
    return {"last": Single(Release.objects.order_by("-number").values("number")[:1])}


def _releases_in_words(counts: Numbers) -> str:
    return f"the last is number {counts['last']}" if counts["last"] else "none yet"


def _people(user: User, now: datetime) -> dict[str, Counted]:
    invited = Invitation.objects.open(at=now).filter(person=None).order_by()
    return {"active": User.objects.filter(is_active=True), "invited": invited}


def _people_in_words(counts: Numbers) -> str:
    return f"{counts['active']:,} active" + (f", {counts['invited']} invited" if counts["invited"] else "")


def register_nav_items() -> None:
    register(
        NavItem(
            "Annotate",
            "desk",
            Group.WORK,
            (Role.ANNOTATOR,),
            "Check a tag, take out the two passages, classify the contradiction, write questions.",
            Now(_desk, _desk_in_words),
            order=10,
            covers=("my_work",),
        ),
        NavItem(
            "Review annotations",
            "reviews",
            Group.WORK,
            (Role.REVIEWER, Role.ADMIN),
            "Accept an annotation, return it with a message, or exclude it.",
            Now(_reviews, _reviews_in_words),
            order=20,
        ),
        NavItem(
            "Questions",
            "comments",
            Group.WORK,
            (Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN),
            "What annotators ask, and what others wrote to you about an annotation.",
            Now(_comments, _comments_in_words),
            order=50,
            waiting=waiting_for_person,
        ),
        NavItem(
            "Tags",
            "tags",
            Group.DATA,
            (Role.ADMIN,),
            "All contradiction tags: where each stands, who has it, how many annotations it needs.",
            Now(_tags, _tags_in_words),
            order=10,
            covers=("progress",),
        ),
        NavItem(
            "Harvests",
            "harvests",
            Group.DATA,
            (Role.ADMIN,),
            "Fetch tagged articles from a wiki, a dump or a file.",
            Now(_harvests, _harvests_in_words),
            order=20,
            covers=("wikis",),
        ),
        NavItem(
            "Releases",
            "releases",
            Group.DATA,
            (Role.ADMIN,),
            "Freeze accepted annotations into a numbered benchmark and download it.",
            Now(_releases, _releases_in_words),
            order=30,
            covers=("import_annotations",),
        ),
        NavItem(
            "People",
            "people",
            Group.PROJECT,
            (Role.ADMIN,),
            "Invite people and give them roles.",
            Now(_people, _people_in_words),
            order=10,
        ),
        NavItem(
            "Settings",
            "project",
            Group.PROJECT,
            (Role.ADMIN,),
            "What applies to everyone, such as annotations per tag.",
            order=20,
        ),
        NavItem("Activity", "activity", Group.PROJECT, (Role.ADMIN,), "What people did, and when.", order=30),
    )
