"""Facts, conflicts and templates of relations, found by their names in the palette. People who judge evidence find
neither facts nor conflicts there: these say what is true.
"""

from collections.abc import Iterable

from django.urls import reverse

from core.languages import say
from core.lists.search import found_in
from core.models import Role, User
from core.navigation import MOST_FOUND, Finder, Found, found_row

from ..models import Conflict, Entity, Fact, RelationTemplate
from ..questionnaires.truth import rounds_of


def _facts(user: User, words: str) -> Iterable[Found]:
    if rounds_of(user).exists():
        return
    subjects = found_in(Entity.objects.all(), "name", words)
    facts = Fact.objects.filter(subject__in=subjects).select_related("subject", "object").order_by("pk")
    for fact in facts[:MOST_FOUND]:
        yield found_row("fact", fact.key, str(fact.subject), f"{fact.relation} {fact.object or ''}".strip())


def _conflicts(user: User, words: str) -> Iterable[Found]:
    if rounds_of(user).exists():
        return
    subjects = found_in(Entity.objects.all(), "name", words)
    conflicts = Conflict.objects.filter(fact__subject__in=subjects).select_related("fact__subject", "claim_set")
    for conflict in conflicts.order_by("-pk")[:MOST_FOUND]:
        yield found_row("conflict", conflict.key, str(conflict.fact.subject), str(conflict.claim_set))


def _templates(user: User, words: str) -> Iterable[Found]:
    """Templates by their relation, or by words of the question; there are some hundreds."""
    by_relation = RelationTemplate.objects.filter(relation__iexact=words)
    by_question = RelationTemplate.objects.filter(question__icontains=words)
    for template in (by_relation | by_question).order_by("relation", "-version")[:MOST_FOUND]:
        yield Found(str(template), f"{reverse('relation_templates')}#template-{template.pk}", template.question)


FINDERS = (
    Finder(say("Facts"), (Role.ADMIN,), _facts),
    Finder(say("Conflicts"), (Role.ADMIN,), _conflicts),
    Finder(say("Templates of relations"), (Role.ADMIN,), _templates),
)
