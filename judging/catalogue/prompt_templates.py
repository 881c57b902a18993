"""New prompt templates, and new wordings of existing ones. Used ones are never changed."""

from collections.abc import Sequence

from django.db import IntegrityError, transaction

from annotation.models import Instance
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal

from ..models import InstanceVariant, JudgingAction, PromptTemplate, Response
from ..protocol.prompts import MissingValue, placeholders
from .messages import Messages, answer_messages, correct_answers


def find_problem(template: PromptTemplate) -> str:
    """The reason why the template cannot be used in its current form; "" if it can."""
    task, wording = template.what, template.as_template()
    if problem := task.problem(wording):
        return problem
    if placeholders(template.system):
        return say("The system message is the same for all instances: put the differing parts into the text.")
    return task.problem_with_answers(wording)


@transaction.atomic
def add_template(*, actor: User | None, template: PromptTemplate) -> PromptTemplate:
    """Save a template that is not in the database yet, as the next version of its code.

    Raises Refusal if it cannot be used, or is identical to the newest version.
    """
    if problem := find_problem(template):
        raise Refusal(say("{problem} Nothing was saved.", problem=problem), status=400)
    newest = PromptTemplate.objects.filter(code=template.code).order_by("-version").first()
    if newest and newest.task != template.task:
        raise Refusal(
            say(
                "{label} is for the task “{name}”. Give a prompt for another task another code. Nothing was saved.",
                label=newest.label,
                name=newest.what.name,
            ),
            status=400,
        )
    if newest and newest.as_template() == template.as_template():
        raise Refusal(say("This is the same as {label}. Nothing was saved.", label=newest.label), status=400)
    template.version = newest.version + 1 if newest else 1
    template.created_by = actor
    try:
        with transaction.atomic():
            template.save(force_insert=True)
    except IntegrityError as error:
        raise Refusal(
            say(
                "Another admin has just saved a version of {code}. Read theirs; yours was not saved.",
                code=template.code,
            )
        ) from error
    Event.record(
        JudgingAction.ADDED, template, actor=actor, after={"code": template.code, "version": template.version}
    )
    return template


def preview(template: PromptTemplate, instance: Instance) -> tuple[Messages, Sequence[str]]:
    """The messages and the correct answers of a template, saved or not, for an instance.

    Raises MissingValue, with the reason, if the template uses a value that the instance lacks.
    """
    variant = InstanceVariant.objects.current().filter(instance=instance).first()
    if template.takes_variant and variant is None:
        raise MissingValue(template.what.no_variant)
    messages = answer_messages(instance, template, variant)
    return messages, correct_answers(Response(instance=instance, template=template, variant=variant))
