"""What waits for a person in this app, in a few words for the first page."""

from annotation.models import Role, User
from annotation.overview import plural
from annotation.places import Place, register
from annotation.publishing.releases import latest_release
from judging.models import Call, CallState, LanguageModel, Run, RunState
from judging.resolutions import Resolution, instances_at


def runs_now(user: User) -> str:
    running = Run.objects.filter(state=RunState.RUNNING).count()
    in_doubt = Call.objects.filter(state=CallState.IN_DOUBT).count()
    parts = [f"{running} running" if running else "none running"]
    if in_doubt:
        parts.append(plural(in_doubt, "call") + " in doubt")
    return ", ".join(parts)


def models_now(user: User) -> str:
    return plural(LanguageModel.objects.callable().count(), "model") + " offered"


def resolutions_now(user: User) -> str:
    release = latest_release()
    if release is None:
        return "no release yet"
    return plural(instances_at(release, Resolution.TO_DO).count(), "instance") + " to do"


def register_places() -> None:
    register(
        Place(
            "Resolve conflicts",
            "resolutions",
            (Role.ANNOTATOR, Role.ADMIN),
            "Change the two passages of an instance so that both give one answer.",
            resolutions_now,
            order=25,
        ),
        Place(
            "Runs",
            "runs",
            (Role.ADMIN,),
            "Have models answer the questions of a release, and judge models judge the answers.",
            runs_now,
            order=40,
        ),
        Place(
            "Models",
            "models",
            (Role.ADMIN,),
            "The models that answer and judge: where they are asked, what they cost, what they are asked.",
            models_now,
            order=41,
        ),
    )
