"""Compares every pair of models over the instances that both answered; tests are adjusted for all pairs shown
together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.languages import say_count
from judging.models import LanguageModel, PromptTemplate

from ...statistics.comparison import LEVEL_OF_TESTS, Comparison, compare, holm
from ...statistics.estimates import Undefined
from ..clusters import K, Units
from ..counting.columns import VerdictColumns, counted_in_tables, numbered, read_verdicts
from ..kinds import headline, in_order
from ..scope import Scope
from .counterparts import Counterparts, counterparts

# Ten models are 45 pairs. Of more models, those with the most final verdicts are compared.
MOST_MODELS = 10


@dataclass(frozen=True, slots=True)
class Compared:
    """Two models with one template, or with all if `template` is None. `p` and `p_verdicts` are adjusted for all
    pairs that are shown together.
    """

    template: PromptTemplate | None
    first: LanguageModel
    second: LanguageModel
    found: Comparison
    p: float | Undefined
    p_verdicts: float | Undefined
    counterparts: Counterparts

    @property
    def why_not_all(self) -> str:
        """The reason why not all instances of each are compared; empty if all are."""
        return self.counterparts.words(self.first.name, self.second.name)

    @property
    def is_told(self) -> bool:
        """Return whether the data show which of the two is correct more often."""
        return not isinstance(self.p, Undefined) and self.p < LEVEL_OF_TESTS

    @property
    def ahead(self) -> tuple[LanguageModel, LanguageModel]:
        """The model that is correct more often, and the other."""
        value = self.found.difference.value
        return (self.second, self.first) if value is not None and value < 0 else (self.first, self.second)

    @property
    def discordant_words(self) -> str:
        return say_count(
            self.found.discordant,
            "{count:,} instance of {of:,} discordant",
            "{count:,} instances of {of:,} discordant",
            of=self.found.instances,
        )


def compared_at_headline(scope: Scope) -> list[Compared]:
    """Every pair of models with the template that reports mention first; empty without two models that answered
    it.
    """
    models, _, columns, templates = read_compared(scope)
    if len(models) < 2:
        return []
    answered = {each: int(np.count_nonzero(columns.template == each.pk)) for each in templates}
    return [each for each in compare_pairs(columns, models, [headline(answered)], scope.units) if each.found.units]


def read_compared(scope: Scope) -> tuple[list[LanguageModel], int, VerdictColumns, list[PromptTemplate]]:
    """The models to compare, the number of others, their verdicts by instance, and the templates."""
    columns = read_verdicts(scope.final_verdicts())
    every = PromptTemplate.objects.in_bulk(numbered(columns.template)[0].tolist())
    columns = columns.where(counted_in_tables(columns, every.values())) if len(columns.verdict) else columns
    keys, model = numbered(columns.model)
    counts = np.bincount(model, minlength=len(keys))
    kept = keys[np.argsort(-counts, kind="stable")][:MOST_MODELS]
    columns = columns.where(np.isin(columns.model, kept))
    models = list(LanguageModel.objects.filter(pk__in=kept.tolist()).order_by("name"))
    templates = in_order(every[pk] for pk in numbered(columns.template)[0].tolist())
    return models, len(keys) - len(kept), columns, templates


def compare_pairs(
    columns: VerdictColumns,
    models: Sequence[LanguageModel],
    templates: Sequence[PromptTemplate | None],
    units: Units,
) -> list[Compared]:
    """Every pair of models with each of these templates, adjusted for all of them."""
    pairs = list(combinations(range(len(models)), 2))
    keys = [(models[one].pk, models[other].pk) for one, other in pairs]
    found: list[tuple[PromptTemplate | None, tuple[int, int], Comparison]] = []
    whole: list[Counterparts] = []
    for template in templates:
        own = columns if template is None else columns.where(columns.template == template.pk)
        results = compare(*_shares(own, models), pairs, unit_of=units.unit)
        found += [(template, pair, each) for pair, each in zip(pairs, results, strict=True)]
        whole += counterparts(own, keys)
    mcnemar = holm([each.mcnemar for *_, each in found])
    verdicts = holm([each.verdicts for *_, each in found])
    return [
        Compared(template, models[one], models[other], each, p, p_verdicts, of)
        for (template, (one, other), each), p, p_verdicts, of in zip(found, mcnemar, verdicts, whole, strict=True)
    ]


def _shares(columns: VerdictColumns, models: Sequence[LanguageModel]) -> tuple[np.ndarray, np.ndarray]:
    """(the share of each verdict by unit and model, the instance of each unit), in the form of `compare`'s
    arguments.
    """
    if not len(columns.verdict):
        return np.zeros((0, len(models), K)), np.zeros(0, dtype=int)
    instances, instance = numbered(columns.instance)
    templates, template = numbered(columns.template)
    order = {model.pk: at for at, model in enumerate(models)}
    keys, model = numbered(columns.model)
    column = np.array([order[pk] for pk in keys.tolist()])[model]
    shape = (len(instances) * len(templates), len(models), K)
    where = np.ravel_multi_index((instance * len(templates) + template, column, columns.verdict), shape)
    counts = np.bincount(where, minlength=int(np.prod(shape))).astype(float).reshape(shape)
    n = counts.sum(axis=2, keepdims=True)
    return np.divide(counts, n, out=np.full(shape, np.nan), where=n > 0), np.repeat(instances, len(templates))
