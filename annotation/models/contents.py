"""The parts of an annotation: its passages, the types of the contradiction, its questions."""

from django.db import models
from django.db.models import Q

from .annotations import Annotation


class Passage(models.Model):
    """One of the two passages that contradict each other. Position 1 is the paper's paragraph A, 2 is B."""

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="passages")
    position = models.PositiveSmallIntegerField()
    article_title = models.TextField(blank=True)
    text = models.TextField(blank=True, help_text="As found, without citation marks and tags.")
    standalone_text = models.TextField(blank=True, help_text="Understandable without its surroundings.")
    statement = models.TextField(blank=True, help_text="The statement of the passage that the other contradicts.")
    span = models.TextField(blank=True, help_text="The contradicted words, as they stand in the passage.")

    class Meta:
        ordering = ["annotation_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "position"], name="one_passage_per_position"),
            models.CheckConstraint(condition=Q(position__in=(1, 2)), name="passages_1_and_2"),
        ]

    def __str__(self) -> str:
        return f"passage {self.position} of annotation {self.annotation_id}"

    @property
    def context(self) -> str:
        """The passage for a model: the stand-alone version, otherwise the passage as found."""
        return self.standalone_text or self.text


class ContradictionType(models.Model):
    """One chosen value in one of the four dimensions; see `annotation.taxonomy` for their meaning."""

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="contradiction_types")
    position = models.PositiveSmallIntegerField(help_text="Order of choosing: the flat export fields keep the last.")
    dimension = models.CharField(max_length=20)
    # Blank if the dimension itself was ticked without a value, as in a few released records.
    code = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering = ["annotation_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "dimension", "code"], name="each_type_chosen_once")
        ]

    def __str__(self) -> str:
        return f"{self.dimension}: {self.code}"


class Question(models.Model):
    """A question whose answer depends on the passage."""

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True)
    answer_1 = models.TextField(blank=True)
    answer_2 = models.TextField(blank=True)

    class Meta:
        ordering = ["annotation_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "position"], name="one_question_per_position"),
            models.CheckConstraint(condition=Q(position__range=(1, 10)), name="up_to_ten_questions"),
        ]

    def __str__(self) -> str:
        return self.text
