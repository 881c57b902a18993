"""The query of Tables 2 and 3: all that they ask the database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db.models import Count

from annotation.content.instances import SAME_PASSAGE
from judging.models import LanguageModel, Mark, PromptTemplate
from judging.protocol.verdicts import Verdict
from review.reports.counting.columns import VerdictColumns, counted_in_tables, read_verdicts
from review.reports.kinds import in_order, leaves_out, template_key
from review.reports.layout import Note
from review.reports.scope import Scope


class Prompt(NamedTuple):
    """A prompt template as the tables name it; `offered` are the verdicts that it offers."""

    pk: int
    code: str
    label: str
    name: str
    key: str
    offered: tuple[Verdict, ...]
    # Whether it is reported only over instances whose two passages differ.
    wants_different_passages: bool


class Model(NamedTuple):
    pk: int
    name: str


class Answered(NamedTuple):
    """Responses that are alike, and their number; category and subcategory are those of their instances."""

    template: int
    model: int
    category: str
    subcategory: str
    run: int
    responses: int


@dataclass(frozen=True, slots=True)
class Found:
    """The final verdicts that count in the tables, with the unit that an interval draws in place of the instance; the
    responses with and without a verdict; `unanswered` are those of them that were cut, empty, refused or filtered.
    """

    verdicts: VerdictColumns
    responses: Sequence[Answered]
    unanswered: Sequence[Answered]
    # By their keys: the templates in their order, and the models by name.
    prompts: dict[int, Prompt]
    models: dict[int, Model]
    notes: Sequence[Note]
    reasons_set_aside: Sequence[str]


def read(scope: Scope, belongs: Callable[[str], bool]) -> Found:
    """The verdicts and responses of a scope, to templates with a code that belongs to the table."""
    templates = {each.pk: each for each in PromptTemplate.objects.all() if belongs(each.code)}
    verdicts = read_verdicts(scope.final_verdicts())
    verdicts = replace(verdicts, instance=scope.units.dealt(verdicts.instance))
    verdicts = verdicts.where(counted_in_tables(verdicts, templates.values()))
    facets = ("template", "model", "instance__category", "instance__subcategory", "run")
    rows = scope.responses().values_list(*facets).annotate(count=Count("*"))
    responses, unanswered = (
        [each for each in map(Answered._make, some) if each.template in templates]
        for some in (rows, rows.exclude(mark=Mark.COMPLETE))
    )
    models = LanguageModel.objects.filter(pk__in={*(each.model for each in responses), *verdicts.model.tolist()})
    return Found(
        verdicts=verdicts,
        responses=responses,
        unanswered=unanswered,
        prompts={each.pk: _prompt(each) for each in in_order(templates.values())},
        models={pk: Model(pk, name) for pk, name in models.values_list("pk", "name")},
        notes=scope.notes(),
        reasons_set_aside=[aside.reason for aside in scope.set_aside_with_reasons],
    )


def _prompt(template: PromptTemplate) -> Prompt:
    return Prompt(
        pk=template.pk,
        code=template.code,
        label=template.label,
        name=template.name,
        key=template_key(template),
        offered=template.offered_verdicts or tuple(Verdict),
        wants_different_passages=leaves_out(template) == SAME_PASSAGE,
    )
