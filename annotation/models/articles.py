"""Data from a wiki: harvests, articles at a revision, the contradiction tags in them, and the candidates that the
program found where there is no tag.
"""

from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from core.languages import say
from core.languages.columns import SaidCharField, SaidField
from core.lists.search import Beginning
from core.models.batches import VisibleManager, WrittenInBatches


class Wiki(models.Model):
    """A wiki that an admin allows the program to ask. Articles never come from any other host."""

    name = models.CharField(max_length=100)
    api_url = models.URLField(unique=True, help_text="The address of its api.php.")
    language = models.CharField(max_length=20, blank=True)
    is_allowed = models.BooleanField(default=True)
    licence = models.CharField(
        max_length=200, blank=True, help_text="The licence of its texts, as the wiki says when it is allowed."
    )
    licence_url = models.CharField(max_length=500, blank=True)
    aliases = models.JSONField(
        default=dict,
        blank=True,
        help_text="Template name to family, learned from this wiki's redirects at the last harvest by template.",
    )
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def host(self) -> str:
        """The host, which distinguishes wikis of the same name, such as test copies of a Wikipedia."""
        return urlsplit(self.api_url).netloc

    @property
    def is_made_up(self) -> bool:
        """Return whether the host cannot exist (RFC 2606), like that of the sample articles."""
        return (urlsplit(self.api_url).hostname or "").endswith(".example")


class HarvestSource(models.TextChoices):
    TEMPLATE = "template", say("Articles that carry a contradiction template")
    CATEGORY = "category", say("Articles in a category")
    TITLES = "titles", say("A list of titles")
    DUMP = "dump", say("An XML dump file")
    TASKS = "tasks", say("A tasks JSON file")


class HarvestState(models.TextChoices):
    WAITING = "waiting", say("Waiting for a worker")
    RUNNING = "running", say("Running")
    DONE = "done", say("Done")
    FAILED = "failed", say("Stopped by an error")
    CANCELLED = "cancelled", say("Cancelled")

    @classmethod
    def open(cls) -> list["HarvestState"]:
        return [cls.WAITING, cls.RUNNING]


class Harvest(models.Model):
    """One pass over a source. If interrupted, it stops at `cursor` and continues from there."""

    source = models.CharField(max_length=20, choices=HarvestSource)
    wiki = models.ForeignKey(Wiki, models.PROTECT, null=True, blank=True, related_name="harvests")
    parameters = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=20, choices=HarvestState, default=HarvestState.WAITING)
    cursor = models.JSONField(null=True, blank=True)
    articles_total = models.PositiveIntegerField(null=True, blank=True)
    articles_seen = models.PositiveIntegerField(default=0)
    articles_new = models.PositiveIntegerField(default=0)
    tags_found = models.PositiveIntegerField(default=0)
    tags_new = models.PositiveIntegerField(default=0)
    tags_gone = models.PositiveIntegerField(default=0)
    error = SaidField(blank=True)
    # False if its file is damaged: a resumed harvest would stop there again.
    can_resume = models.BooleanField(default=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="harvests"
    )
    requested_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    # The worker that holds it renews this; once it has passed, another worker may continue.
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state__in=["done", "cancelled", "failed"]) | Q(finished_at__isnull=False),
                name="a_finished_harvest_has_its_time",
            ),
            models.CheckConstraint(condition=~Q(state="failed") | ~Q(error=""), name="a_failed_harvest_says_why"),
            models.CheckConstraint(
                condition=Q(can_resume=True) | Q(state="failed"), name="only_a_failed_harvest_cannot_be_resumed"
            ),
        ]

    def __str__(self) -> str:
        return f"harvest {self.pk} ({self.get_source_display()})"

    @property
    def is_open(self) -> bool:
        return self.state in HarvestState.open()


class DumpRange(models.Model):
    """A part of a dump, in bytes of the file, that a worker reads. It is deleted once it is stored."""

    harvest = models.ForeignKey(Harvest, models.CASCADE, related_name="ranges")
    begin = models.BigIntegerField()
    # None: the rest of the file, which one reader reads.
    end = models.BigIntegerField(null=True, blank=True)
    holder = models.CharField(max_length=300, help_text="The worker: its machine's name, a blank and random digits.")
    # The worker renews this; once it has passed, another worker may read the range.
    lease_expires_at = models.DateTimeField()

    class Meta:
        ordering = ["begin"]
        constraints = [
            models.UniqueConstraint(fields=["harvest", "begin"], name="a_range_of_a_dump_is_read_once"),
            models.CheckConstraint(
                condition=Q(end=None) | Q(end__gt=F("begin")), name="a_range_ends_behind_its_begin"
            ),
        ]

    def __str__(self) -> str:
        return f"bytes {self.begin:,} to {self.end or 'the end'}"

    @property
    def machine(self) -> str:
        return self.holder.partition(" ")[0]


class HarvestProblem(models.Model):
    """A page that a harvest could not use, and the reason."""

    harvest = models.ForeignKey(Harvest, models.CASCADE, related_name="problems")
    title = models.CharField(max_length=500)
    reason = SaidField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["harvest", "title"], name="one_problem_per_page_and_harvest")]

    def __str__(self) -> str:
        return f"{self.title}: {self.reason}"


class Article(models.Model):
    """One article at one revision. Tasks JSON has neither revision nor wikitext: these are then empty."""

    wiki = models.ForeignKey(Wiki, models.PROTECT, null=True, blank=True, related_name="articles")
    title = models.CharField(max_length=500)
    url = models.CharField(max_length=2000, blank=True)
    page_id = models.BigIntegerField(null=True, blank=True)
    revision_id = models.BigIntegerField(null=True, blank=True)
    revised_at = models.DateTimeField(null=True, blank=True)
    wikitext = models.TextField(blank=True)
    fetched_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["title", "revision_id"]
        indexes = [
            models.Index(fields=["title"], name="article_title"),
            models.Index(Beginning("title"), name="article_beginning"),
            models.Index(fields=["wiki", "page_id"], name="article_page"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["wiki", "revision_id"],
                condition=Q(revision_id__isnull=False),
                name="one_row_per_article_revision",
            ),
            models.UniqueConstraint(
                fields=["title", "url"], condition=Q(revision_id=None), name="one_row_per_imported_article"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Family(models.TextChoices):
    INCONSISTENT = "inconsistent", say("Inconsistent")
    SELF_CONTRADICTORY = "self-contradictory", say("Self-contradictory")
    CONTRADICT_OTHER = "contradict-other", say("Contradicts another article")


class TagQuerySet(models.QuerySet["Tag"]):
    def present(self) -> "TagQuerySet":
        """Tags still in the article when it was last read."""
        return self.filter(gone_at=None)

    def offered(self) -> "TagQuerySet":
        """Tags that the queue may hand out: still there, and not flagged."""
        return self.present().filter(flagged_at=None)


class Tag(WrittenInBatches):
    """One contradiction tag in one article: its occurrence, over all revisions in which it was seen."""

    # The revision that the text below was read from, and the newest in which the tag was seen.
    article = models.ForeignKey(Article, models.PROTECT, related_name="tags")
    last_seen_in = models.ForeignKey(Article, models.PROTECT, related_name="+")
    harvest = models.ForeignKey(Harvest, models.SET_NULL, null=True, blank=True, related_name="tags", db_index=False)
    raw = models.TextField(help_text="The text between the braces, as in the source.")
    family = models.CharField(max_length=20, choices=Family)
    date = models.CharField(max_length=200, blank=True)
    reason = models.TextField(blank=True)
    # Not None for a tag that no editor left in the article: an admin sent a candidate to the queue.
    candidate = models.ForeignKey(
        "annotation.Candidate", models.PROTECT, null=True, blank=True, related_name="tags", db_index=False
    )
    other_articles = models.JSONField(default=list, blank=True)
    section = models.CharField(max_length=1000, blank=True)
    placement = models.CharField(max_length=30, blank=True)
    paragraph = models.TextField(blank=True)
    paragraph_clean = models.TextField(blank=True)
    # The tag's offsets in the article's wikitext, in characters.
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    imported_record = models.TextField(
        blank=True, help_text="The record of a tag that was imported without an annotation, as JSON text."
    )
    occurrence = models.PositiveIntegerField(
        default=0, help_text="Tells apart tags of one article that are alike in text and paragraph."
    )
    found_at = models.DateTimeField(default=timezone.now)
    gone_at = models.DateTimeField(null=True, blank=True)
    priority = models.IntegerField(default=0, help_text="Higher comes first in the queue.")
    flagged_at = models.DateTimeField(null=True, blank=True)
    flagged_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    flag_reason = models.TextField(blank=True)
    # A worker is to look how the article is by now, and then takes this off.
    look_asked_at = models.DateTimeField(null=True, blank=True)

    objects = VisibleManager.from_queryset(TagQuerySet)()
    everything = TagQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            # With the batch, so that a list is counted from it alone.
            models.Index(fields=["-priority", "id", "batch"], name="tag_queue_order"),
            models.Index(fields=["family", "id"], name="tag_family"),
            models.Index(fields=["harvest", "id"], name="tag_harvest"),
            models.Index(fields=["id"], condition=Q(flagged_at__isnull=False, gone_at=None), name="tag_flagged"),
            models.Index(fields=["id"], condition=Q(gone_at__isnull=False), name="tag_gone"),
            models.Index(
                fields=["-priority", "id"],
                condition=Q(flagged_at__isnull=False, gone_at=None),
                name="tag_flagged_queue",
            ),
            models.Index(fields=["-priority", "id"], condition=Q(gone_at__isnull=False), name="tag_gone_queue"),
            models.Index(
                fields=["look_asked_at"], condition=Q(look_asked_at__isnull=False), name="tags_to_be_looked_at"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(start=None, end=None) | Q(start__lt=F("end")), name="a_tag_starts_before_it_ends"
            ),
            models.CheckConstraint(
                condition=Q(flagged_at=None, flagged_by=None) | Q(flagged_at__isnull=False, flagged_by__isnull=False),
                name="a_flag_has_time_and_person",
            ),
            models.UniqueConstraint(
                fields=["candidate"], condition=Q(candidate__isnull=False), name="a_candidate_becomes_one_tag"
            ),
        ]

    def __str__(self) -> str:
        said = "found by the program" if self.is_found_by_program else f"{{{{{self.raw}}}}}"
        return f"{self.article.title}: {said}"

    @property
    def is_found_by_program(self) -> bool:
        """Return whether the program found it, and no editor tagged it."""
        return self.candidate_id is not None

    @property
    def annotations_needed(self) -> int:
        return len(self.assignments.all())


class CandidateKind(models.TextChoices):
    """The comparison that found a candidate."""

    INFOBOX = "infobox", say("Infobox against text")
    LEAD = "lead", say("Lead against body")
    TOTAL = "total", say("Table against its sum")
    PROPERTY = "property", say("One property, two values")
    SENTENCES = "sentences", say("Two sentences")


class CandidateState(models.TextChoices):
    WAITING = "waiting", say("To decide")
    SENT = "sent", say("Sent to the queue")
    DISMISSED = "dismissed", say("Dismissed")


class Candidate(models.Model):
    """Two texts of an article that the program found and that may contradict each other. It is no tag: an admin sends
    it to the queue, as a tag of its own, or dismisses it.
    """

    log_kind = "untagged contradiction"

    article = models.ForeignKey(Article, models.PROTECT, related_name="candidates")
    kind = models.CharField(max_length=10, choices=CandidateKind)
    text_1 = models.TextField()
    text_2 = models.TextField()
    part_1 = models.CharField(max_length=300, blank=True, help_text="Infobox, lead, table or a heading.")
    part_2 = models.CharField(max_length=300, blank=True)
    reason = SaidCharField(max_length=500, help_text="What differs, in a few words.")
    score = models.FloatField(help_text="About 0 to 1.5; higher is likelier, but it is no chance.")
    fingerprint = models.CharField(
        max_length=64, unique=True, help_text="SHA-256 of page, kind and texts: a later pass finds nothing twice."
    )
    state = models.CharField(max_length=10, choices=CandidateState, default=CandidateState.WAITING)
    found_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["-score", "-pk"]
        indexes = [
            models.Index(fields=["state", "-score", "-id"], name="candidates_of_a_state"),
            models.Index(fields=["-score", "-id"], name="candidates_by_score"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(text_1="") & ~Q(text_2=""), name="a_candidate_has_two_texts"),
            models.CheckConstraint(condition=~Q(reason=""), name="a_candidate_has_a_reason"),
            models.CheckConstraint(condition=Q(score__gte=0), name="a_candidate_has_a_score_from_0"),
            models.CheckConstraint(
                condition=Q(kind__in=["infobox", "lead", "total", "property", "sentences"]),
                name="a_candidate_has_a_known_kind",
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", decided_at=None, decided_by=None)
                | Q(state__in=["sent", "dismissed"], decided_at__isnull=False, decided_by__isnull=False),
                name="exactly_a_decided_candidate_has_time_and_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.article.title}: {self.reason}"
