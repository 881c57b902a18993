"""What is waiting for a person in this app, in a few words for the first page."""

from django.db.models import Count, Q

from core.models import Invitation, Role, User
from core.navigation import NavItem, register

from .desk.conversations import notices_for, open_questions_for, waiting_for_person
from .desk.queue import left_for, left_in_words
from .models import Annotation, AnnotationState, Harvest, HarvestState, Release, Tag
from .reviewing.queue import waiting_for


def plural(count: int, word: str, words: str = "") -> str:
    """ "1 tag", "2 tags", with thousands separators."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def desk_now(user: User) -> str:
    own = Annotation.objects.filter(annotator=user).aggregate(
        drafts=Count("pk", filter=Q(state=AnnotationState.DRAFT)),
        returned=Count("pk", filter=Q(state=AnnotationState.RETURNED)),
    )
    left = left_for(user)
    parts = [f"{left_in_words(left)} {'tag' if left == 1 else 'tags'} for you"]
    if own["returned"]:
        parts.append(f"{own['returned']} returned to you")
    if own["drafts"]:
        parts.append(plural(own["drafts"], "draft"))
    return ", ".join(parts)


def reviews_now(user: User) -> str:
    waiting = waiting_for(user).count()
    return f"{plural(waiting, 'annotation')} waiting"


def comments_now(user: User) -> str:
    parts = [f"{notices_for(user).filter(read_at=None).count():,} new"]
    if questions := open_questions_for(user).count():
        parts.append(plural(questions, "question") + " waiting")
    return ", ".join(parts)


def tags_now(user: User) -> str:
    counts = Tag.objects.aggregate(
        present=Count("pk", filter=Q(gone_at=None)), flagged=Count("pk", filter=Q(flagged_at__isnull=False))
    )
    return plural(counts["present"], "tag") + (f", {counts['flagged']} flagged" if counts["flagged"] else "")


def harvests_now(user: User) -> str:
    running = Harvest.objects.filter(state__in=HarvestState.open()).count()
    return f"{running} running" if running else "none running"


def releases_now(user: User) -> str:
    last = Release.objects.order_by("-number").first()
    return f"the last is number {last.number}" if last else "none yet"


def people_now(user: User) -> str:
    invited = Invitation.objects.open().filter(person=None).count()
    active = User.objects.filter(is_active=True).count()
    return f"{active} active" + (f", {invited} invited" if invited else "")


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
