"""Counts of verdicts per instance, for the bootstrap over instances."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.models import Instance
from judging.protocol.verdicts import Verdict

from ..models import VERDICT_NUMBERS
from ..statistics.estimates import MAX_CLUSTERS

ORDER = VERDICT_NUMBERS
K = len(ORDER)
POOLED = 400


def instances_are_many() -> bool:
    """Return whether there are too many instances to resample them one by one."""
    return Instance.objects.order_by()[: MAX_CLUSTERS + 1].count() > MAX_CLUSTERS


@dataclass(frozen=True, slots=True)
class Units:
    """The unit drawn as a whole for an interval: a tag, whose questions are related, or a single instance.

    Instances are of one tag if they were released from it or, where that is not known (as in imported files), if they
    are of one group: the same article with the same passages.
    """

    # Primary keys in order, and the number of the unit of each; nothing where each instance is its own.
    instances: np.ndarray
    numbers: np.ndarray

    @classmethod
    def of(cls, *, by_instance: bool) -> "Units":
        if by_instance:
            return cls(np.zeros(0, dtype=int), np.zeros(0, dtype=int))
        rows = list(Instance.objects.order_by("pk").values_list("pk", "tag", "group"))
        tag_of = {group: tag for _, tag, group in rows if tag and group}
        units: dict[tuple[str, int | str], int] = {}
        numbers = []
        for pk, tag, group in rows:
            known = tag or tag_of.get(group)
            key = ("tag", known) if known else ("group", group) if group else ("instance", pk)
            numbers.append(units.setdefault(key, len(units)))
        return cls(np.array([pk for pk, *_ in rows], dtype=int), np.array(numbers, dtype=int))

    def unit(self, instances: np.ndarray) -> np.ndarray:
        """The number of the unit of each of these instances."""
        return self.numbers[np.searchsorted(self.instances, instances)] if len(self.instances) else instances

    def dealt(self, instances: np.ndarray) -> np.ndarray:
        """The same or, if there are many instances, the number of the group into which the unit is dealt: of POOLED.

        An interval's width then has an additional random error, 1 / sqrt(2 * groups) or 3.5% for 400; see
        `review.statistics.estimates.resampled_totals`.
        """
        unit = self.unit(instances)
        return unit % POOLED if instances_are_many() else unit


def verdicts_in(tables: np.ndarray, offered: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts that were offered or, in imported data, given nevertheless; in the order of the tables."""
    given = tables.sum(axis=(0, 1)) + tables[:, :K].sum(axis=(0, 2))
    offered = set(offered)
    found = [verdict for verdict in Verdict if verdict in offered or given[ORDER[verdict]]]
    return found if len(found) > 1 else list(Verdict)


def narrowed(tables: np.ndarray, verdicts: Sequence[Verdict]) -> np.ndarray:
    """The tables with the rows and columns of these verdicts only; extra rows stay."""
    kept = [ORDER[verdict] for verdict in verdicts]
    return tables[:, [*kept, *range(K, tables.shape[1])]][:, :, kept]
