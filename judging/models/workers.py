"""The settings that workers report."""

from django.db import models
from django.utils import timezone


class WorkerSettings(models.Model):
    """The endpoints that the workers on a machine may call, as last reported: hosts, and the names of the set
    variables with keys. Never a key itself.
    """

    machine = models.CharField(max_length=255, primary_key=True)
    hosts = models.JSONField(default=list)
    key_names = models.JSONField(default=list)
    reported_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"settings of workers on {self.machine}"
