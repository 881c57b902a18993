"""Counts of verdicts per instance, as the bootstrap over instances needs them."""

from collections.abc import Iterable, Sequence

import numpy as np
from django.db.models import F
from django.db.models.expressions import CombinedExpression

from annotation.models import Instance
from judging.protocol.verdicts import Verdict

from ..models import VERDICT_NUMBERS
from ..statistics.estimates import MAX_CLUSTERS

ORDER = VERDICT_NUMBERS
K = len(ORDER)
POOLED = 400


def instances_are_many() -> bool:
    """Whether there are too many instances to resample them one by one."""
    return Instance.objects.order_by()[: MAX_CLUSTERS + 1].count() > MAX_CLUSTERS


def cluster_of(path: str) -> F | CombinedExpression:
    """What to group by so that responses to one instance stay together: the instance or, if there are many, a fixed
    number of groups into which instances are dealt by their primary key.

    The database does the dealing, so the result has the same size however many responses there are. An interval's
    width then has a chance error of its own, 1 / sqrt(2 * groups) or 3.5 % for 400; see
    `review.statistics.estimates.resampled_totals`.
    """
    return F(path) % POOLED if instances_are_many() else F(path)


def verdicts_in(tables: np.ndarray, offered: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts that were offered or, in imported data, given anyway; in the order of the tables."""
    given = tables.sum(axis=(0, 1)) + tables[:, :K].sum(axis=(0, 2))
    offered = set(offered)
    found = [verdict for verdict in Verdict if verdict in offered or given[ORDER[verdict]]]
    return found if len(found) > 1 else list(Verdict)


def narrowed(tables: np.ndarray, verdicts: Sequence[Verdict]) -> np.ndarray:
    """The tables with the rows and columns of these verdicts only; extra rows stay."""
    kept = [ORDER[verdict] for verdict in verdicts]
    return tables[:, [*kept, *range(K, tables.shape[1])]][:, :, kept]
