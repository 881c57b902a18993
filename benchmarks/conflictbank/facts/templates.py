"""The templates of relations: the published ones, and better versions by admins."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Max

from core.languages import say
from core.models import Event, User
from core.refusals import Refusal

from ..content.wording import problem_of_question, problem_of_statement
from ..models import ConflictbankAction, RelationTemplate

PUBLISHED = Path(__file__).parents[1] / "relation_templates.json"


# The problems that the file names: catalogs need each of them as a literal.
PROBLEMS = (
    say("It reads the relation against its direction in Wikidata."),
    say("The claim cannot be read in the paper’s Table 4."),
    say("The question cannot be read in the paper’s Table 4."),
    say("The question says “represent or represent”."),
)


@cache
def published() -> list[dict[str, Any]]:
    """The readable part of the paper's Table 4. Rows with a problem are damaged or invert the relation."""
    return json.loads(PUBLISHED.read_text())


def install_templates() -> str:
    """Create the published templates that are missing; those with a problem are not active. Returns "", because it
    prints nothing.
    """
    there = set(RelationTemplate.objects.values_list("relation", flat=True))
    missing = [each for each in published() if each["relation"] not in there]
    RelationTemplate.objects.bulk_create(
        (RelationTemplate(**each, is_active=not each["problem"]) for each in missing), ignore_conflicts=True
    )
    return ""


def active_templates() -> dict[str, RelationTemplate]:
    """The active template of each relation that has one."""
    return {each.relation: each for each in RelationTemplate.objects.filter(is_active=True)}


@transaction.atomic
def add_template(*, relation: str, statement: str, question: str, is_point: bool, admin: User) -> RelationTemplate:
    """Write the next version of a relation's template, which is used from now on. Raises Refusal if a text cannot be
    filled.
    """
    statement, question = statement.strip(), question.strip()
    if problem := problem_of_statement(statement) or problem_of_question(question):
        raise Refusal(say("{problem} Nothing was changed.", problem=problem), status=400)
    versions = RelationTemplate.objects.select_for_update().filter(relation=relation)
    last = versions.aggregate(last=Max("version"))["last"] or 0
    RelationTemplate.objects.filter(relation=relation, is_active=True).update(is_active=False)
    template = RelationTemplate.objects.create(
        relation=relation, version=last + 1, statement=statement, question=question, is_point=is_point
    )
    Event.record(
        ConflictbankAction.CHANGED_TEMPLATE,
        template,
        actor=admin,
        after={"relation": relation, "version": template.version},
    )
    return template


@transaction.atomic
def switch_template(*, template: RelationTemplate, is_active: bool, admin: User) -> None:
    """Use a template from now on, instead of the relation's other versions, or no longer. Raises Refusal if a text is
    missing.
    """
    if is_active and (problem := problem_of_statement(template.statement) or problem_of_question(template.question)):
        raise Refusal(say("{problem} Write another version. Nothing was changed.", problem=problem), status=409)
    if is_active:
        RelationTemplate.objects.filter(relation=template.relation, is_active=True).update(is_active=False)
    if RelationTemplate.objects.filter(pk=template.pk).exclude(is_active=is_active).update(is_active=is_active):
        Event.record(
            ConflictbankAction.CHANGED_TEMPLATE,
            template,
            actor=admin,
            before={"is_active": not is_active},
            after={"is_active": is_active},
        )
