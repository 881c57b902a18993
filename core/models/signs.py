"""Signs of life of the parts of a site: the last one of each."""

from django.db import models
from django.utils import timezone


class SignKind(models.TextChoices):
    WORKER = "worker", "A worker process"
    CLOCK = "clock", "The clock"
    WORK = "work", "A message of the clock that a worker has carried out"
    WRITE = "write", "A row written to see whether rows can be written"
    SUMS = "sums", "The comparison of kept sums with their rows"
    BACKUP = "backup", "A backup; `error` in the facts if it failed"
    REHEARSAL = "rehearsal", "A restore of a backup into an empty folder; `error` in the facts if it failed"
    SEALED = "sealed", "The sealing of new entries of the log; in the facts, up to where all are sealed"
    LOG = "log", "The verification of the log; in the facts, the end of its chain and what was wrong"
    COPIED = "copied", "The copy of the log to syslog; in the facts, the last entry, and `error` if it failed"
    TURN = "turn", "The turn of the clock that sends messages; in the facts, its process"
    ALARM = "alarm", "The last alarm about a part; `silent` in the facts while it is silent"


class Sign(models.Model):
    """The last sign of life of one part. A worker and a clock have a row for each process, named by machine and
    process."""

    # One of `SignKind`; without choices, so that a new kind needs no migration.
    kind = models.CharField(max_length=20)
    name = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(default=timezone.now)
    # Figures for admins, such as the version; never a key or a text that people wrote.
    facts = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["kind", "-at"]
        constraints = [models.UniqueConstraint(fields=["kind", "name"], name="one_sign_of_each_part")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()
