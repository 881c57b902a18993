"""Facts: a subject, a relation, and the current object, with all other true objects."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say
from core.lists.search import Beginning


class RelationTemplate(models.Model):
    """The sentence and the question of a relation of Wikidata. Once claims are made with it, it never changes: a
    better wording is another version, and the newest active one counts.
    """

    relation = models.CharField(max_length=20, help_text=say("The id of the property in Wikidata, such as P19."))
    version = models.PositiveSmallIntegerField(default=1)
    statement = models.TextField(blank=True, help_text=say("A sentence with <subject> and <object>."))
    question = models.TextField(blank=True, help_text=say("A question with <subject>, answered by the object."))
    is_point = models.BooleanField(
        "happens at a point in time", default=False, help_text=say("Otherwise, claims can also have an interval.")
    )
    problem = models.TextField(blank=True, help_text="The reason why the published wording cannot be used.")
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["relation", "version"]
        constraints = [
            models.UniqueConstraint(fields=["relation", "version"], name="a_relation_has_a_template_once"),
            models.UniqueConstraint(
                fields=["relation"], condition=Q(is_active=True), name="one_active_template_per_relation"
            ),
            models.CheckConstraint(
                condition=Q(is_active=False) | (~Q(statement="") & ~Q(question="")),
                name="an_active_template_has_both_texts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.relation}, version {self.version}"


class FactFile(models.Model):
    """A file of facts. `checkpoint` is the position where reading continues; until the import is done, some facts are
    missing.
    """

    name = models.CharField(max_length=200, blank=True)
    size = models.PositiveBigIntegerField(default=0, help_text="In bytes.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file, or of the beginning of a dump.")
    revision = models.CharField(max_length=200, blank=True)
    licence = models.CharField(max_length=200, blank=True)
    checkpoint = models.JSONField(default=dict, blank=True)
    counts = models.JSONField(default=dict, blank=True)
    begun_at = models.DateTimeField(default=timezone.now)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["digest", "size"], name="a_file_of_facts_is_known_once")]

    def __str__(self) -> str:
        return self.name or f"file {self.pk}"


class Entity(models.Model):
    """A subject or an object of facts. Without a name, only its id is known, and its facts wait."""

    key = models.CharField(
        max_length=80, unique=True, help_text="Its id in Wikidata; without one, a digest of its name and description."
    )
    name = models.TextField(blank=True)
    description = models.TextField(blank=True)
    aliases = models.JSONField(default=list, blank=True)
    types = models.JSONField(default=list, blank=True, help_text="Ids in Wikidata, or words. Empty: not known.")
    is_living = models.BooleanField(
        null=True, blank=True, help_text="Whether it is a person without a date of death. Empty: not known."
    )
    # Not found on the wiki: it is not requested again.
    is_missing = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "entities"
        indexes = [
            models.Index(fields=["id"], condition=Q(name="", is_missing=False), name="entity_without_name"),
            models.Index(Beginning("name"), name="entity_beginning"),
        ]
        constraints = [models.CheckConstraint(condition=~Q(key=""), name="an_entity_has_a_key")]

    def __str__(self) -> str:
        return self.name or self.key

    @property
    def names(self) -> list[str]:
        return [name for name in (self.name, *self.aliases) if name]


class FactState(models.TextChoices):
    READY = "ready", say("Ready")
    WAITING = "waiting", say("Waiting for names")
    DROPPED = "dropped", say("Dropped")


class DropReason(models.TextChoices):
    """The reasons for which no claim is made of a fact; the first that applies is stored."""

    NO_OBJECT = "no_object", say("no current object")
    NO_NAME = "no_name", say("no name")
    NO_DESCRIPTION = "no_description", say("no description")
    CONTAINED = "contained", say("one name inside the other")
    MONTH = "month", say("a month in a name")
    NO_TEMPLATE = "no_template", say("relation without template")
    FEW_OBJECTS = "few_objects", say("fewer than three objects in the relation")

    @classmethod
    def by_relation(cls) -> list["DropReason"]:
        """The reasons that apply to all facts of a relation, and can end without a change of the fact."""
        return [cls.NO_TEMPLATE, cls.FEW_OBJECTS]


class Fact(models.Model):
    """A subject, a relation, and the one current true object. There is one per subject and relation."""

    # For addresses: it reveals neither order nor number.
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    relation = models.CharField(max_length=20)
    subject = models.ForeignKey(Entity, models.PROTECT, related_name="facts")
    object = models.ForeignKey(Entity, models.PROTECT, null=True, blank=True, related_name="facts_about")
    state = models.CharField(max_length=10, choices=FactState, default=FactState.WAITING)
    reason = models.CharField(max_length=20, choices=DropReason, blank=True)
    file = models.ForeignKey(FactFile, models.PROTECT, related_name="facts")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["state", "relation", "id"], name="fact_state"),
            models.Index(fields=["relation", "id"], name="fact_relation"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["subject", "relation"], name="one_fact_per_subject_and_relation"),
            models.CheckConstraint(
                condition=(Q(state=FactState.DROPPED) & ~Q(reason="")) | (~Q(state=FactState.DROPPED) & Q(reason="")),
                name="exactly_a_dropped_fact_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~Q(state=FactState.READY) | Q(object__isnull=False), name="a_ready_fact_has_an_object"
            ),
        ]

    def __str__(self) -> str:
        return f"fact {self.pk}"


class TrueObject(models.Model):
    """An object that is, or was, true of a fact's subject and relation, so that it never replaces the current one.
    `rank`, `is_current` and `started` decide which is current.
    """

    fact = models.ForeignKey(Fact, models.CASCADE, related_name="true_objects")
    entity = models.ForeignKey(Entity, models.PROTECT, related_name="true_of")
    rank = models.CharField(max_length=10, default="normal")
    is_current = models.BooleanField(default=True)
    started = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["fact", "entity"], name="an_object_is_true_once")]

    def __str__(self) -> str:
        return f"object {self.entity_id} of fact {self.fact_id}"
