"""What is waiting for a person in this app, in a few words for the first page."""

from core.lists.pages import CountsUpTo, count_up_to, in_words
from core.models import Invitation, Role, User
from core.navigation import NavItem, register

from .desk.conversations import notices_for, open_questions_for, waiting_for_person
from .desk.queue import MOST_COUNTED, left_for, left_in_words
from .desk.visibility import annotations_for
from .models import Annotation, AnnotationState, Harvest, HarvestState, Release, ReviewState, Tag
from .reviewing.queue import chip_counts


def plural(count: int, word: str, words: str = "", *, most: int | None = None) -> str:
    """ "1 tag", "2 tags", with thousands separators; "more than 1,000 tags" if it was counted up to `most` only."""
    number = f"{count:,}" if most is None else in_words(count, most)
    return f"{number} {word if count == 1 else words or word + 's'}"


def chip_in_words(number: str, word: str) -> str:
    """What a chip says, in words: "1 tag", "more than 99 tags"."""
    return f"{number.replace('99+', 'more than 99') or 'some'} {word if number == '1' else word + 's'}"


def desk_now(user: User) -> str:
    mine = Annotation.objects.filter(annotator=user).order_by()
    states = {"drafts": AnnotationState.DRAFT, "returned": AnnotationState.RETURNED}
    own = CountsUpTo(MOST_COUNTED, {name: mine.filter(state=state) for name, state in states.items()}).now()
    left = left_for(user)
    parts = [f"{left_in_words(left)} {'tag' if left == 1 else 'tags'} for you"]
    if own["returned"]:
        parts.append(f"{in_words(own['returned'], MOST_COUNTED)} returned to you")
    if own["drafts"]:
        parts.append(plural(own["drafts"], "draft", most=MOST_COUNTED))
    return ", ".join(parts)


def reviews_now(user: User) -> str:
    others, state = annotations_for(user).exclude(annotator=user), ReviewState.WAITING
    waiting = chip_counts(others, reader=user)[state]
    return f"{chip_in_words(waiting, 'annotation')} waiting"


def comments_now(user: User) -> str:
    parts = [f"{in_words(count_up_to(MOST_COUNTED, notices_for(user).filter(read_at=None)), MOST_COUNTED)} new"]
    if questions := count_up_to(MOST_COUNTED, open_questions_for(user)):
        parts.append(plural(questions, "question", most=MOST_COUNTED) + " waiting")
    return ", ".join(parts)


def tags_now(user: User) -> str:
    present, flagged = Tag.objects.present().order_by(), Tag.objects.filter(flagged_at__isnull=False, gone_at=None)
    counts = CountsUpTo(MOST_COUNTED, {"present": present, "flagged": flagged}).now()
    words = plural(counts["present"], "tag", most=MOST_COUNTED)
    return words + (f", {in_words(counts['flagged'], MOST_COUNTED)} flagged" if counts["flagged"] else "")


def harvests_now(user: User) -> str:
    running = Harvest.objects.filter(state__in=HarvestState.open()).count()
    return f"{running} running" if running else "none running"


def releases_now(user: User) -> str:
    last = Release.objects.order_by("-number").first()
    return f"the last is number {last.number}" if last else "none yet"


def people_now(user: User) -> str:
    invited = Invitation.objects.open().filter(person=None).count()
    active = User.objects.filter(is_active=True).count()
    return f"{active:,} active" + (f", {invited} invited" if invited else "")


def register_nav_items() -> None:
    register(
        NavItem(
            "Annotate",
            "desk",
            (Role.ANNOTATOR,),
            "Check a tag, take out the two passages, classify the contradiction, write questions.",
            desk_now,
            order=10,
        ),
        NavItem(
            "Review annotations",
            "reviews",
            (Role.REVIEWER, Role.ADMIN),
            "Accept an annotation, return it with a message, or exclude it.",
            reviews_now,
            order=20,
        ),
        NavItem(
            "Questions and mentions",
            "comments",
            (Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN),
            "What annotators ask, and what others wrote to you about an annotation.",
            comments_now,
            order=25,
            short="Comments",
            waiting=waiting_for_person,
        ),
        NavItem(
            "Tags",
            "tags",
            (Role.ADMIN,),
            "All contradiction tags: where each stands, who has it, how many annotations it needs.",
            tags_now,
            order=30,
        ),
        NavItem(
            "Harvest",
            "harvests",
            (Role.ADMIN,),
            "Fetch tagged articles from a wiki, a dump or a file.",
            harvests_now,
            order=31,
        ),
        NavItem(
            "Releases",
            "releases",
            (Role.ADMIN,),
            "Freeze accepted annotations into a numbered benchmark and download it.",
            releases_now,
            order=32,
        ),
        NavItem("People", "people", (Role.ADMIN,), "Invite people and give them roles.", people_now, order=90),
        NavItem(
            "Settings", "project", (Role.ADMIN,), "What applies to everyone, such as annotations per tag.", order=91
        ),
    )
