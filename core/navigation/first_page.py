"""The parts of the first page that are the frame's own."""

from typing import Any

from ..languages import say
from ..models import Role, User
from .finding import Command, register_commands
from .items import offers_for
from .pipeline import pipeline_for
from .sections import Section, covered_for, register_sections
from .tours import Stop, Tour, register_tours


def _waiting(user: User) -> dict[str, Any] | None:
    covered = covered_for(user)
    offers = [each for each in offers_for(user) if each.item.url_name not in covered]
    if not offers:
        return None
    return {"waiting": [each for each in offers if each.words], "empty": [each for each in offers if not each.words]}


def _pipeline(user: User) -> dict[str, Any]:
    return {"pipeline": pipeline_for(user)}


OF_ADMINS = Tour(
    Role.ADMIN,
    say(
        "An admin harvests tagged articles, freezes accepted annotations as releases, lets "
        "models answer them, and has people judge the responses. The tour shows the parts of "
        "this page in three minutes."
    ),
    "home",
    "tags",
    (
        Stop(
            "header nav",
            say("Five groups"),
            say("Work, data, models, results, project: all pages are in one of these menus."),
        ),
        Stop(".find", say("Find"), say("Ctrl K finds a page, a tag, an article, a run or a person by its name.")),
        Stop(
            ".waiting",
            say("Waiting for you"),
            say("Your own work, such as annotations to review, is listed here first."),
        ),
        Stop(
            ".first-page.overview",
            say("The pipeline"),
            say("From harvested tags to adjudicated verdicts: how many there are, and how many wait at each stage."),
        ),
        Stop(
            "details.menu.account",
            say("Your account"),
            say("Your name, theme, password, access tokens, and signing out."),
        ),
    ),
)


def register() -> None:
    register_commands(
        Command(say("Change the password"), "account_change_password"),
        Command(say("Create an API token"), "account", "#tokens"),
        Command(say("Manage saved views"), "saved_views"),
    )
    register_tours(OF_ADMINS)
    register_sections(
        Section("core/_first_pipeline.html", (Role.ADMIN,), 20, _pipeline, later=True),
        Section("core/_first_waiting.html", tuple(Role.values), 30, _waiting),
    )
