"""Practice runs: tags with a known annotation, and people's attempts at them.

Nothing here is an annotation: these rows are separate from `Annotation` and `Assignment`, so that no release, export,
count, report or statistic can take practice for work.
"""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from .annotations import Annotation
from .articles import Article, Tag


class PracticeTag(models.Model):
    """A tag to practise on, with its reference annotation and the reasons for it.

    Tag, pages and reference are copies made when it was chosen: changes to the originals do not affect them.
    """

    # The accepted annotation that was copied; none for what ships with the program, which goes by its key.
    annotation = models.ForeignKey(Annotation, models.PROTECT, null=True, blank=True, related_name="+")
    key = models.CharField(max_length=40, blank=True)
    title = models.CharField(max_length=500)
    tag = models.JSONField(help_text="The tag's own fields.")
    pages = models.JSONField(
        help_text="The content of the reading pane: kind, title, language and HTML of each page."
    )
    reference = models.JSONField(help_text="The annotation to compare with, as the form's content.")
    why = models.JSONField(default=dict, blank=True, help_text="For each step, why the reference says what it says.")
    is_offered = models.BooleanField(default=True)
    position = models.PositiveIntegerField(default=0, help_text="Lower comes first.")
    chosen_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    chosen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation"], condition=Q(annotation__isnull=False), name="one_practice_tag_per_annotation"
            ),
            models.UniqueConstraint(fields=["key"], condition=~Q(key=""), name="one_practice_tag_per_key"),
            models.CheckConstraint(
                condition=Q(annotation=None) & ~Q(key="") | Q(annotation__isnull=False, key=""),
                name="a_practice_tag_ships_or_was_chosen",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def as_tag(self) -> Tag:
        """The tag as the desk's templates read it; never saved."""
        return Tag(article=Article(title=self.title), **self.tag)


class PracticeAttempt(models.Model):
    """A person's attempt at a practice tag. `version` counts the saves; a save states the version it is based on."""

    practice_tag = models.ForeignKey(PracticeTag, models.PROTECT, related_name="attempts")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="practice_attempts")
    number = models.PositiveIntegerField(default=1, help_text="The person's first, second, ... attempt at it.")
    content = models.JSONField(help_text="The form as it was saved last.")
    sources: Any = models.JSONField(default=list, blank=True, help_text="The sources of the passages.")
    version = models.PositiveIntegerField(default=0)
    # Step to how much agreed with the reference, of how much, when the step was first compared.
    first = models.JSONField(default=dict, blank=True)
    # For each opening of the desk, step to active seconds.
    times: Any = models.JSONField(default=dict, blank=True)
    begun_at = models.DateTimeField(default=timezone.now)
    saved_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["person", "practice_tag", "number"], name="practice_attempts_are_numbered"
            ),
            models.UniqueConstraint(
                fields=["person", "practice_tag"],
                condition=Q(finished_at=None),
                name="one_open_practice_attempt_per_person_and_tag",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="practice_attempts_count_from_1"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} at practice tag {self.practice_tag_id}"

    @property
    def matched(self) -> int:
        """The number of choices that agreed with the reference when their step was first compared."""
        return sum(matched for matched, _ in self.first.values())

    @property
    def of(self) -> int:
        """The number of choices compared."""
        return sum(of for _, of in self.first.values())

    def seconds_on(self, step: int) -> int:
        """Active seconds on this step."""
        return sum(seconds.get(str(step), 0) for seconds in self.times.values())

    @property
    def seconds(self) -> int:
        """Active seconds in total."""
        return sum(map(self.seconds_on, range(1, 7)))


class CheckTag(models.Model):
    """A tag whose answer is known, mixed into the queue: `tag` has the text of the tag of `source`, an accepted
    annotation, whose content at that time is the reference. To its `person` it is a tag like any other; nobody else
    gets it, so that each person's part of the queue has each text once.

    The database refuses to change or delete a row, and refuses annotations of such a tag in releases.
    """

    tag = models.OneToOneField(Tag, models.PROTECT, related_name="check_tag")
    source = models.ForeignKey(Annotation, models.PROTECT, related_name="checks")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    # The tag of the source. Whoever has had to do with it, or has seen another check of it, is not given this one.
    original = models.ForeignKey(Tag, models.PROTECT, related_name="+")
    reference = models.JSONField(help_text="The known answer: the form's fields that are not empty.")
    seed = models.CharField(max_length=50, help_text="The positions in the queue were drawn with it.")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(tag=models.F("original")), name="a_check_is_a_tag_of_its_own"),
            models.UniqueConstraint(fields=["original", "person"], name="one_check_of_a_tag_per_person"),
        ]

    def __str__(self) -> str:
        return f"check tag {self.tag_id}"
