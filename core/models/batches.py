"""The rows of one import or one release, written in pieces and made visible together."""

from functools import cache
from typing import Any, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.sql import Query
from django.utils import timezone

from ..engine.queries.counts import Either

M = TypeVar("M", bound=models.Model)


class Batch(models.Model):
    """The batch that rows of an import or release refer to while they are written. While it is open they are on no
    page and in no count, queue, report or file; the one UPDATE that ends it shows them all.
    """

    what = models.CharField(max_length=40)
    # Where the rows came from, if from a file: its name, SHA-256 and revision (`core/files/provenance.py`).
    source = models.JSONField(default=dict, blank=True)
    begun_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    begun_at = models.DateTimeField(default=timezone.now)
    # The writing process keeps renewing this; once it has passed, the rows are deleted.
    alive_until = models.DateTimeField()
    is_open = models.BooleanField(default=True)
    is_given_up = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]
        constraints = [
            # Two imports, or an import and a release, would each plan for data that the other is about to change.
            models.UniqueConstraint(fields=["is_open"], condition=Q(is_open=True), name="one_open_batch")
        ]

    def __str__(self) -> str:
        return f"{self.what}, begun {self.begun_at:%Y-%m-%d %H:%M}"


class WrittenInBatches(models.Model):
    """Rows that may belong to a batch. `objects`, and so every relation, leaves out those of an open batch;
    `everything` includes them."""

    batch = models.ForeignKey(Batch, models.PROTECT, null=True, editable=False, related_name="+", db_index=False)

    class Meta:
        abstract = True


class IsVisible(models.Func):
    """The condition that a row's batch, if it has one, is finished. Plain SQL in one piece: each query of these
    models needs it, and Django would build a subquery again each time.
    """

    template = "(%(expressions)s IS NULL OR %(expressions)s NOT IN (SELECT id FROM core_batch WHERE is_open))"
    output_field = models.BooleanField()
    arity = 1


def is_visible(table: str) -> str:
    """The same condition in plain SQL, for a row of this table."""
    return IsVisible.template % {"expressions": f"{table}.batch_id"}


class VisibleManager(models.Manager[M]):
    """Leaves out rows that are still being written."""

    def get_queryset(self) -> models.QuerySet[M]:
        rows = super().get_queryset()
        rows.query = visible_query(self.model).chain()
        return rows


@cache
def visible_query(model: type[models.Model]) -> Query:
    """The manager's initial query, built once: copying it takes a tenth of the time."""
    return models.QuerySet(model).filter(IsVisible("batch_id")).query


def visible(everything: models.QuerySet) -> Either:
    """Counts the rows that belong to no open batch. A batch is rarely open, and while none is, an index can count the
    rows: no index holds the batch of a row.
    """
    return Either(open_batches(), then=everything.filter(IsVisible("batch_id")), otherwise=everything)


def open_batches() -> models.QuerySet[Batch, Any]:
    return Batch.objects.filter(is_open=True).values("pk")
