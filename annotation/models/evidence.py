"""The evidence for judging a tag: the article as readers saw it, who added the tag, the talk page, and later
changes.
"""

import hashlib

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.languages import say
from core.languages.columns import SaidField

from .articles import Article, Tag, Wiki


class EvidenceKind(models.TextChoices):
    ARTICLE = "article", say("Article")
    HISTORY = "history", say("History")
    TALK = "talk", say("Talk")
    OTHER = "other", say("Other article")
    FURTHER = "further", say("Further article")


class Rendering(models.TextChoices):
    WIKI = "wiki", say("As the wiki shows it")
    WIKITEXT = "wikitext", say("Made from the stored wikitext")
    PARAGRAPH = "paragraph", say("The paragraph of the tasks file")


class EvidencePage(models.Model):
    """The text of a page, stored once: all tags of an article share it. The database refuses to change a row."""

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the text.")
    # Only the output of `annotation.reading.sanitise.safe` is stored here; the template filter `sanitised` relies on
    # it.
    html = models.TextField()

    def __str__(self) -> str:
        return self.digest

    @classmethod
    def of(cls, html: str) -> "EvidencePage | None":
        """The row with this text, created if it is new; None without text."""
        digest = hashlib.sha256(html.encode()).hexdigest()
        return cls.objects.get_or_create(digest=digest, defaults={"html": html})[0] if html else None


class Evidence(models.Model):
    """One piece of evidence as it was when fetched. The database refuses to change a row."""

    # In the activity log, “evidence” belongs to a benchmark.
    log_kind = "tagevidence"

    tag = models.ForeignKey(Tag, models.CASCADE, related_name="evidence")
    kind = models.CharField(max_length=10, choices=EvidenceKind)
    rendering = models.CharField(max_length=10, choices=Rendering, default=Rendering.WIKI)
    wiki = models.ForeignKey(Wiki, models.PROTECT, null=True, blank=True, related_name="+")
    title = models.CharField(max_length=500)
    language = models.CharField(max_length=20, blank=True)
    revision_id = models.BigIntegerField(null=True, blank=True)
    revised_at = models.DateTimeField(null=True, blank=True)
    url = models.CharField(max_length=2000, blank=True, help_text="Leads to this very revision, where there is one.")
    page = models.ForeignKey(EvidencePage, models.PROTECT, null=True, blank=True, related_name="+")
    # The marks of this tag in the page: offsets in its text, with the marked words.
    marks = models.JSONField(default=list, blank=True)
    details = models.JSONField(default=dict, blank=True)
    fetched_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["tag", "kind", "wiki", "revision_id", "rendering"],
                condition=Q(revision_id__isnull=False, wiki__isnull=False),
                name="one_evidence_per_revision",
            ),
            models.UniqueConstraint(
                fields=["tag", "kind", "title", "rendering"],
                condition=Q(revision_id=None) | Q(wiki=None),
                name="one_evidence_per_unnumbered_text",
            ),
            models.CheckConstraint(
                condition=~Q(rendering="wiki") | Q(wiki__isnull=False, revision_id__isnull=False),
                name="evidence_from_a_wiki_names_its_revision",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.title}"

    @property
    def html(self) -> str:
        """The page with the marks of this tag; "" if there is none."""
        if self.page is None:
            return ""
        pieces, behind = [], 0
        for offset, mark in self.marks:
            pieces += [self.page.html[behind:offset], mark]
            behind = offset
        return "".join([*pieces, self.page.html[behind:]])


class RequestState(models.TextChoices):
    WAITING = "waiting", say("Waiting for a worker")
    RUNNING = "running", say("Being fetched")
    DONE = "done", say("Here")
    MISSING = "missing", say("Cannot be had")

    @classmethod
    def unanswered(cls) -> list["RequestState"]:
        return [cls.WAITING, cls.RUNNING]


class EvidenceRequestQuerySet(models.QuerySet["EvidenceRequest"]):
    def due(self, *, at=None) -> "EvidenceRequestQuerySet":
        """Requests that a worker may claim: waiting and due, or held by a worker that has been silent for too
        long.
        """
        at = at or timezone.now()
        waits = Q(state=RequestState.WAITING, not_before__lte=at)
        return self.filter(waits | Q(state=RequestState.RUNNING, lease_expires_at__lte=at))

    def by_urgency(self) -> "EvidenceRequestQuerySet":
        return self.order_by("-priority", "pk")

    def unanswered(self) -> "EvidenceRequestQuerySet":
        return self.filter(state__in=RequestState.unanswered())


class EvidenceRequest(models.Model):
    """A request for one piece of evidence for a tag at one revision of its article, and its progress."""

    tag = models.ForeignKey(Tag, models.CASCADE, related_name="evidence_requests")
    article = models.ForeignKey(Article, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=EvidenceKind)
    # The wiki that is asked; none if the answer is made from stored data.
    wiki = models.ForeignKey(Wiki, models.PROTECT, null=True, blank=True, related_name="evidence_requests")
    subject = models.CharField(max_length=500, blank=True, help_text="The title of an other or further article.")
    state = models.CharField(max_length=10, choices=RequestState, default=RequestState.WAITING)
    evidence = models.ForeignKey(Evidence, models.PROTECT, null=True, blank=True, related_name="requests")
    reason = SaidField(blank=True, help_text="Why it is not here, in words for the annotator.")
    priority = models.SmallIntegerField(default=0, help_text="Higher comes first: a person waits for it.")
    tries = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(default=timezone.now)
    # The worker that holds it renews this; once it has passed, another worker may claim it.
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    requested_at = models.DateTimeField(default=timezone.now)

    objects = EvidenceRequestQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["state", "not_before"], name="evidence_due")]
        constraints = [
            models.UniqueConstraint(
                fields=["tag", "article", "kind", "subject"],
                condition=Q(wiki=None),
                name="asked_once_where_no_wiki_is",
            ),
            models.UniqueConstraint(
                fields=["tag", "article", "kind", "subject", "wiki"],
                condition=Q(wiki__isnull=False, requested_by=None),
                name="asked_once_of_each_wiki",
            ),
            # Each person's own: that another annotator of the tag has asked for a page is nothing for them.
            models.UniqueConstraint(
                fields=["tag", "article", "kind", "subject", "wiki", "requested_by"],
                condition=Q(wiki__isnull=False, requested_by__isnull=False),
                name="asked_once_of_each_wiki_by_a_person",
            ),
            models.CheckConstraint(
                condition=Q(state="running", lease_expires_at__isnull=False)
                | (~Q(state="running") & Q(lease_expires_at=None)),
                name="evidence_being_fetched_is_held",
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(evidence__isnull=False), name="done_evidence_is_there"
            ),
            models.CheckConstraint(condition=~Q(state="missing") | ~Q(reason=""), name="missing_evidence_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.subject}".strip() + f" for tag {self.tag_id}"


class WatchState(models.TextChoices):
    UNCHANGED = "unchanged", say("Tag and passages as annotated")
    CHANGED = "changed", say("Passage changed")
    TAG_GONE = "tag gone", say("Tag no longer in the article")
    ARTICLE_GONE = "article gone", say("Article no longer there")
    UNKNOWN = "unknown", say("Could not be checked")


class WatchResult(models.Model):
    """The state of a tag in its article: one row for each finding at each revision, in the order of checking."""

    tag = models.ForeignKey(Tag, models.CASCADE, related_name="watch_results")
    state = models.CharField(max_length=20, choices=WatchState)
    message = SaidField(blank=True)
    title = models.CharField(max_length=500, blank=True)
    revision_id = models.BigIntegerField(null=True, blank=True)
    revised_at = models.DateTimeField(null=True, blank=True)
    url = models.CharField(max_length=2000, blank=True)
    # The paragraph in the newest revision, if it changed.
    paragraph = models.TextField(blank=True)
    tag_is_there = models.BooleanField(null=True)
    first_seen_at = models.DateTimeField(default=timezone.now)
    # Checking again with the same result updates only this.
    last_seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        get_latest_by = "pk"
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["article gone", "unknown"]) | Q(revision_id__isnull=False),
                name="a_finding_names_its_revision",
            )
        ]

    def __str__(self) -> str:
        return f"tag {self.tag_id}: {self.get_state_display()}"
