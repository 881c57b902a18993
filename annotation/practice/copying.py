"""Copies of a tag and of its reading pane, for practice."""

from ..evidence.pane import LABELS, kept_article
from ..models import Evidence, EvidenceKind, Tag

# The tag's own fields that the desk shows or works with.
FIELDS_OF_A_TAG = (
    "raw",
    "family",
    "date",
    "reason",
    "other_articles",
    "section",
    "placement",
    "paragraph",
    "paragraph_clean",
)


def copied_tag(tag: Tag) -> dict[str, object]:
    return {name: getattr(tag, name) for name in FIELDS_OF_A_TAG}


def copied_pages(tag: Tag) -> list[dict[str, object]]:
    """The stored article and, for a tag that names one, the other article; none without the article."""
    article = kept_article(tag)
    others = Evidence.objects.filter(tag=tag, kind=EvidenceKind.OTHER).select_related("page").order_by("pk")
    return [_page(each) for each in [article, *others] if each and each.html]


def _page(evidence: Evidence) -> dict[str, object]:
    kind = EvidenceKind(evidence.kind)
    return {
        "kind": str(kind),
        "label": LABELS[kind],
        "title": evidence.title,
        "language": evidence.language,
        "html": evidence.html,
    }
