"""Work waiting for a person in this app, in a few words for the first page."""

from django.urls import reverse

from annotation.models import Release
from annotation.releases.next_steps import NextStep
from core.languages import say
from core.models import Role
from core.navigation import Command, Group, NavItem, register, register_commands


def register_nav_items() -> None:
    register_commands(
        Command(say("New run"), "run_new"),
        Command(say("New judge run"), "judge_run_new"),
        Command(say("Import responses"), "responses_import"),
        Command(say("New model"), "model_new"),
        Command(say("New prompt"), "template_new"),
    )
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
