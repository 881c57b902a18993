"""Records of an imported human evaluation, unchanged."""

from django.db import models

from annotation.models import Instance
from core.models import VisibleManager, WrittenInBatches
from judging.models import LanguageModel, Run


class EvaluatedRecord(WrittenInBatches):
    """A record of a human evaluation as JSON text: PostgreSQL's own JSON would lose the order of its keys. Data that
    rows cannot hold is exported again from here.
    """

    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    model = models.ForeignKey(LanguageModel, models.PROTECT, related_name="+")
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="+")
    repetition = models.PositiveSmallIntegerField(default=1)
    content = models.TextField()

    objects = VisibleManager()
    everything = models.Manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["run", "model", "instance", "repetition"], name="one_evaluated_record")
        ]

    def __str__(self) -> str:
        return f"record of {self.model_id} on {self.instance_id}"
