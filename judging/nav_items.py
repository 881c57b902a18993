"""Work waiting for a person in this app, in a few words for the first page."""

from django.urls import reverse

from annotation.models import Release
from annotation.releases.next_steps import NextStep
from core.languages import say
from core.models import Role
from core.navigation import Group, NavItem, register


def register_nav_items() -> None:
    register(
        NavItem(
            say("Runs"),
            "runs",
            Group.MODELS,
            (Role.ADMIN,),
            say("Have models answer the questions of a release, and judge models judge the responses."),
            order=10,
            covers=("responses",),
        ),
        NavItem(
            say("Models"),
            "models",
            Group.MODELS,
            (Role.ADMIN,),
            say("The models that answer and judge, their endpoints and costs."),
            order=20,
        ),
        NavItem(
            say("Prompts"),
            "templates",
            Group.MODELS,
            (Role.ADMIN,),
            say("The texts that models are asked: the paper's prompts, and your own."),
            order=30,
        ),
    )


def new_run(release: Release) -> NextStep:
    """The next step on the page of a release."""
    return NextStep(say("New run"), f"{reverse('run_new')}?release={release.number}")
