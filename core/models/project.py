"""The settings that hold for the whole project."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from ..engine.queries.instances import PreparedInstances
from ..languages import say


class Consensus(models.TextChoices):
    """When the judgments of a response give its final verdict. Otherwise, it is adjudicated."""

    ALL = "all", say("All give the same verdict")
    MAJORITY = "majority", say("More than half give the same verdict")


class Project(models.Model):
    """The settings that admins change while the project runs. There is exactly one row."""

    name = models.CharField(max_length=100, default="WikiContradict Workbench")
    annotations_per_tag = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(5)],
        help_text=say("The number of people who annotate each newly harvested tag, independently of one another."),
    )
    double_annotation_percent = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(100)],
        help_text=say("Percentage of newly harvested tags that need one extra annotation."),
    )
    review_percent = models.PositiveSmallIntegerField(
        default=100,
        validators=[MaxValueValidator(100)],
        help_text=say(
            "Percentage of submitted annotations that a reviewer must decide on, drawn by their numbers. All "
            "others are accepted without review an hour after they were submitted. Tags that several people "
            "annotate are always reviewed."
        ),
    )
    review_first = models.PositiveSmallIntegerField(
        default=10,
        help_text=say("The number of first annotations of each person that are always reviewed, whatever the draw."),
    )
    lease_seconds = models.PositiveIntegerField(
        default=120,
        validators=[MinValueValidator(30)],
        help_text=say("A claimed tag whose page is no longer open goes back to the queue after this time."),
    )
    suggestions_on = models.BooleanField(
        default=True,
        help_text=say(
            "Offer suggestions at the desk. They are never used without the annotator, and "
            "can be switched off for a study."
        ),
    )
    counterparts_on = models.BooleanField(
        default=True,
        help_text=say(
            "Suggest at the desk which texts of the article the tagged one may contradict. Nothing is chosen "
            "by itself."
        ),
    )
    counterparts_left_out_percent = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(100)],
        help_text=say(
            "Percentage of tags for which no counterparts are suggested, drawn by the tag's number. The report "
            "“Does help help?” compares these tags with the others."
        ),
    )
    counterparts_model = models.CharField(
        max_length=100,
        blank=True,
        help_text=say(
            "A model in a folder of the worker orders the ten likeliest counterparts anew, before an annotator "
            "opens the tag. Where it fails or is late, the order stays as it is."
        ),
    )
    suggestion_model = models.CharField(
        max_length=100,
        blank=True,
        help_text=say(
            "Annotators may ask this language model to suggest a stand-alone version or a question. "
            "The annotator decides, and used suggestions are counted."
        ),
    )
    suggestion_budget = models.DecimalField(
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=say(
            "A maximum for the cost of the model's suggestions, in the currency of its prices. Empty: no limit."
        ),
    )
    judgments_each = models.PositiveSmallIntegerField(
        default=2,
        validators=[MinValueValidator(2), MaxValueValidator(5)],
        help_text=say(
            "The number of people who judge each response of a new round, independently of one another. "
            "The paper has two."
        ),
    )
    consensus = models.CharField(
        max_length=10,
        choices=Consensus,
        default=Consensus.ALL,
        help_text=say(
            "The judgments that make a final verdict in a new round; all others are adjudicated. With two "
            "judgments, both rules are the same."
        ),
    )
    adjudicate_among_two = models.BooleanField(
        default=False,
        help_text=say(
            "The reviewers of a response may discuss and adjudicate it together, as the paper's authors did."
        ),
    )

    practice_required = models.BooleanField(
        default=False,
        help_text=say(
            "People who have not submitted an annotation yet must finish a practice run before they get tags."
        ),
    )

    # Set while workers are drained: they take no new calls to models.
    calls_stopped_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(pk=1), name="one_project"),
            models.CheckConstraint(
                condition=Q(counterparts_left_out_percent__lte=100), name="counterparts_left_out_in_percent"
            ),
            models.CheckConstraint(condition=Q(judgments_each__range=(2, 5)), name="two_to_five_judgments"),
            models.CheckConstraint(condition=Q(review_percent__lte=100), name="reviewed_in_percent"),
        ]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def get(cls) -> "Project":
        """The settings; created with their defaults on first use."""
        return ROW.first() or cls.objects.get_or_create(pk=1)[0]


ROW = PreparedInstances(lambda: Project.objects.filter(pk=1))
