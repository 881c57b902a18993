"""The folders of data (`VAR_DIR`) that work with this database, one for each machine."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from ..languages.columns import SaidField


class DataFolder(models.Model):
    """A folder of data. Nothing is sent from its machine while it is held.

    `step` rises while a worker runs, in the row first and then in the folder. So a folder that is ahead of its row
    shows that the database was restored from an older state.
    """

    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    host = models.CharField(max_length=200, blank=True)
    step = models.PositiveBigIntegerField(default=0)
    seen_at = models.DateTimeField(default=timezone.now)
    held_at = models.DateTimeField(null=True, blank=True)
    held_because = SaidField(blank=True)
    # Empty until the folder's replies and calls have been compared with a database that may be older.
    recovered_at = models.DateTimeField(null=True, blank=True)
    recovered = models.JSONField(default=list, blank=True, help_text="Sentences about what was recovered.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(held_at=None, held_because="") | (Q(held_at__isnull=False) & ~Q(held_because="")),
                name="exactly_a_held_folder_says_why",
            )
        ]

    def __str__(self) -> str:
        return self.host or str(self.token)
