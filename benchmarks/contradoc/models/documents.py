"""Clean documents, into which errors are put."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.lists.search import Beginning
from core.models import VisibleManager, WrittenInBatches


class Document(WrittenInBatches):
    """A document as imported. The database refuses to change it: edits are offsets into its text."""

    # For addresses that people may see: it reveals neither order nor number.
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    benchmark = models.CharField(max_length=40, help_text="The benchmark that it is for, by its code.")
    code = models.CharField(max_length=200, help_text="Its id in the file that it came from.")
    doc_type = models.CharField(max_length=40, help_text="One of the document types of the benchmark.")
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    objects = VisibleManager()
    everything = models.Manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(Beginning("code"), name="document_beginning")]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "code"], name="one_document_per_code"),
            models.CheckConstraint(condition=~Q(code="") & ~Q(text=""), name="a_document_has_code_and_text"),
        ]

    def __str__(self) -> str:
        return self.code
