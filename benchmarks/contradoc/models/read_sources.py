"""People who have read released documents, which reveal the contradictions."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ReadSource(models.Model):
    """Records that a person has read a released document of this source, so they can no longer search one for its
    contradiction.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    source = models.CharField(max_length=200, db_index=True, help_text="As in the groups of instances.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "source"], name="a_source_read_once_is_known")]

    def __str__(self) -> str:
        return f"source {self.source} read"
