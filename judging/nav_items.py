"""What is waiting for a person in this app, in a few words for the first page."""

from annotation.nav_items import chip_in_words, plural
from annotation.releases.freezing import latest_release
from core.lists.pages import count_up_to
from core.models import Role, User
from core.navigation import NavItem, register

from .catalogue.resolved_passages import ResolvingState, chip_counts
from .models import Call, CallState, LanguageModel, Run, RunState

# Beyond this many, "more than" is all that is said.
MOST_COUNTED = 500


def runs_now(user: User) -> str:
    running = Run.objects.filter(state=RunState.RUNNING).count()
    # By run: that is how the index has them.
    in_doubt = count_up_to(MOST_COUNTED, Call.objects.filter(run__in=Run.objects.all(), state=CallState.IN_DOUBT))
    parts = [f"{running} running" if running else "none running"]
    if in_doubt:
        parts.append(plural(in_doubt, "call", most=MOST_COUNTED) + " in doubt")
    return ", ".join(parts)


def models_now(user: User) -> str:
    return plural(LanguageModel.objects.callable().count(), "model") + " offered"


def resolved_passages_now(user: User) -> str:
    release = latest_release()
    if release is None:
        return "no release yet"
    to_do = chip_counts(release)[ResolvingState.TO_DO]
    return f"{chip_in_words(to_do, 'instance')} to do"


def register_nav_items() -> None:
    register(
        NavItem(
            "Resolved passages",
            "resolved_passages",
            (Role.ANNOTATOR, Role.ADMIN),
            "Change the two passages of an instance so that both give one answer.",
            resolved_passages_now,
            order=25,
        ),
        NavItem(
            "Runs",
            "runs",
            (Role.ADMIN,),
            "Have models answer the questions of a release, and judge models judge the responses.",
            runs_now,
            order=40,
        ),
        NavItem(
            "Models",
            "models",
            (Role.ADMIN,),
            "The models that answer and judge: where they are asked, what they cost, what they are asked.",
            models_now,
            order=41,
        ),
    )
