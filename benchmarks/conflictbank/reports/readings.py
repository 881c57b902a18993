"""The answers counted in ConflictBank's tables, by model and condition."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from django.db.models import BigIntegerField, Case, FloatField, IntegerField, Q, Value, When
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast, Coalesce, Round

from judging.catalogue.score_fields import ScoreIs
from judging.models import LanguageModel, PromptTemplate
from review.reports.counting.columns import read_columns
from review.reports.scope import Scope

from ..conditions import CONDITIONS, DRAWN, ORDERS, Condition
from ..prompts import Asked
from ..readers import OPTION
from ..tasks import ASKED, DEFAULT, OTHER, REPLACED, TASKS, UNCERTAIN
from .facts import drawn_orders
from .metrics import Answers, Choice, among, asked_items, known_items

CHOICES = {DEFAULT: Choice.DEFAULT, REPLACED: Choice.REPLACED, UNCERTAIN: Choice.UNCERTAIN, OTHER: Choice.OTHER}
CHOICE = Case(
    *(When(ScoreIs("choice", answer), then=Value(choice.value)) for answer, choice in CHOICES.items()),
    default=Value(Choice.UNREADABLE.value),
    output_field=IntegerField(),
)
# An entropy as a whole number, to the ninth decimal; -1 without one.
SCALE, NO_ENTROPY = 10**9, -1
NOT_STORED = -1
ENTROPY = Coalesce(
    Cast(Round(Cast(KeyTransform("bits", "value"), FloatField()) * Value(float(SCALE))), BigIntegerField()),
    Value(NO_ENTROPY),
)


@dataclass
class Asking:
    """The answers of one model by one protocol, by condition; `orders` has those to two texts by their order, too."""

    model: LanguageModel
    protocol: str
    conditions: dict[str, Answers] = field(default_factory=dict)
    orders: dict[tuple[str, str], Answers] = field(default_factory=dict)
    # Whether this is the model's only protocol here, so that its name is enough.
    is_alone: bool = True

    @property
    def name(self) -> str:
        return self.model.name if self.is_alone else f"{self.model.name} ({self.protocol})"

    @cached_property
    def known(self) -> np.ndarray:
        """The items that the model knows, sorted."""
        return known_items(self.conditions)

    @cached_property
    def of(self) -> int:
        """The number of items that it was asked about."""
        return asked_items(self.conditions)

    def known_answers(self, condition: str, order: str = "") -> Answers | None:
        """The answers to known items under a condition, in one order or in any; None if there are none."""
        found = self.orders.get((condition, order)) if order else self.conditions.get(condition)
        return None if found is None else among(found, self.known)

    def asked(self) -> Iterator[Condition]:
        """The conditions under which it was asked, in their order."""
        return (each for code, each in CONDITIONS.items() if code in self.conditions)


def askings_of(scope: Scope) -> list[Asking]:
    """The answers in this scope, by protocol and by the name of the model."""
    found = [asking for task in TASKS for asking in _of_protocol(scope, task.code, task.protocol)]
    for asking in found:
        asking.is_alone = sum(each.model.pk == asking.model.pk for each in found) == 1
    return found


def _of_protocol(scope: Scope, task: str, protocol: str) -> list[Asking]:
    of_response = (f"response__{name}_id" for name in ("instance", "model", "template"))
    entropy = ENTROPY if protocol == OPTION else Value(NO_ENTROPY)
    columns = (*of_response, CHOICE, entropy, stored_order(protocol))
    items, model, template, choices, bits, order = read_columns(scope.readings(task), *columns)
    answers = Answers(items, choices, np.where(bits == NO_ENTROPY, np.nan, bits / SCALE))
    return _by_model(answers, protocol, model, template, order)


def stored_order(protocol: str) -> Combinable:
    """The number in `ORDERS` of the order of two texts that is stored with a response, if it was drawn for the item;
    NOT_STORED otherwise. JSON is read only of the responses that have such an order.
    """
    codes = [asked.code for asked in ASKED.values() if asked.protocol == protocol and asked.order == DRAWN]
    drawn = list(PromptTemplate.objects.filter(code__in=codes).order_by("pk").values_list("pk", flat=True))
    if not drawn:
        return Value(NOT_STORED)
    return Case(
        When(~Q(response__template__in=drawn), then=Value(NOT_STORED)),
        *(
            When(ScoreIs("order", order, path="response__composition"), then=Value(number))
            for number, order in enumerate(ORDERS)
        ),
        default=Value(NOT_STORED),
        output_field=IntegerField(),
    )


def _by_model(
    answers: Answers, protocol: str, model: np.ndarray, template: np.ndarray, order: np.ndarray
) -> list[Asking]:
    """The answers of each model; their models, templates and stored orders are parallel lists."""
    asked = _asked_by_key(np.unique(template).tolist())
    names = LanguageModel.objects.in_bulk(np.unique(model).tolist())
    found = {key: Asking(each, protocol) for key, each in names.items()}
    parts: dict[tuple[int, str, str], list[Answers]] = {}
    for key, positions in _separated(model, template):
        about = asked.get(key[1])
        if about is None:  # a template made by an admin belongs to no condition
            continue
        for name, some in _by_order(about, answers.only(positions), order[positions]):
            parts.setdefault((key[0], about.condition.code, name), []).append(some)
    for (owner, condition, name), pieces in parts.items():
        asking, together = found[owner], joined(pieces)
        if name:
            asking.orders[condition, name] = together
        before = asking.conditions.get(condition)
        asking.conditions[condition] = joined([before, together]) if before else together
    return sorted((each for each in found.values() if each.conditions), key=lambda each: each.model.name)


def _asked_by_key(templates: list[int]) -> Mapping[int, Asked]:
    codes = PromptTemplate.objects.filter(pk__in=templates).values_list("pk", "code")
    return {pk: ASKED[code] for pk, code in codes if code in ASKED}


def _separated(model: np.ndarray, template: np.ndarray) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """The positions of the answers of each model to each template."""
    order = np.lexsort((template, model))
    ends = np.flatnonzero(np.diff(model[order]) | np.diff(template[order])) + 1
    for positions in np.split(order, ends) if len(order) else ():
        yield (int(model[positions[0]]), int(template[positions[0]])), positions


def _by_order(asked: Asked, answers: Answers, stored: np.ndarray) -> Iterator[tuple[str, Answers]]:
    """The answers by the order of their two texts, the stored one or, where none is stored, the drawn one; all under
    "" if there are fewer than two.
    """
    if asked.order != DRAWN:
        yield asked.order, answers
        return
    if (unknown := stored == NOT_STORED).any():
        stored = stored.copy()
        stored[unknown] = drawn_orders(answers.items[unknown], asked.condition.cause)
    for number, order in enumerate(ORDERS):
        if (some := answers.only(stored == number)).items.size:
            yield order, some


def joined(some: list[Answers]) -> Answers:
    """All of these answers."""
    if len(some) == 1:
        return some[0]
    columns = ((each.items, each.choices, each.bits) for each in some)
    return Answers(*(np.concatenate(column) for column in zip(*columns, strict=True)))
