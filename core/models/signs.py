"""Signs of life of the parts of a site: the last one of each."""

from django.db import models
from django.utils import timezone

from ..languages import say


class SignKind(models.TextChoices):
    WORKER = "worker", say("A worker process")
    CLOCK = "clock", say("The clock")
    WORK = "work", say("A message of the clock that a worker has carried out")
    WRITE = "write", say("A row written to see whether rows can be written")
    SUMS = "sums", say("The comparison of kept sums with their rows")
    BACKUP = "backup", say("A backup; `error` in the facts if it failed")
    REHEARSAL = "rehearsal", say("A restore of a backup into an empty folder; `error` in the facts if it failed")
    SEALED = "sealed", say("The sealing of new entries of the log; in the facts, up to where all are sealed")
    LOG = "log", say("The verification of the log; in the facts, the end of its chain and what was wrong")
    COPIED = "copied", say("The copy of the log to syslog; in the facts, the last entry, and `error` if it failed")
    TURN = "turn", say("The turn of the clock that sends messages; in the facts, its process")
    ALARM = "alarm", say("The last alarm about a part; `silent` in the facts while it is silent")


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
