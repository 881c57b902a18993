"""Counterparts of a tagged text among its evidence: suggested once for each annotation, and recorded.

Nothing is chosen by itself. The setting can be off, and an admin can have a share of the tags go without.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.languages.kept import kept
from core.models import Project, User

from ..assisting.counterparts.pairs import tagged_pairs
from ..assisting.counterparts.ranking import likely, rank
from ..assisting.counterparts.reasons import reason_for
from ..models import Annotation, CounterpartOffer, CounterpartRanking, Evidence, EvidenceKind, Tag
from ..reading.page_sentences import PageText, PageTexts, page_texts
from ..reading.readable import as_read
from .pane import kept_article

LONGEST_SHOWN = 300
MOST_PAIRS = 10
# Placements of tags that mark a section or a page instead of a text.
BANNERS = ("page banner", "section banner", "heading")
# The best that a model orders anew.
RERANKED = 10
SHOWN = 3
# A number for two texts: the higher, the likelier they contradict each other.
Score = Callable[[str, str], float]


def offer_of(annotation: Annotation, annotator: User) -> CounterpartOffer | None:
    """The counterparts suggested for this annotation: the stored ones, or else new ones, which are stored.

    None while the article is not here, so that they are found once it is. Raises Forbidden if another person writes
    the annotation.
    """
    annotation.check_own(annotator)
    if stored := CounterpartOffer.objects.filter(annotation=annotation).first():
        return stored
    if not annotation.is_writable:
        return None
    is_on = is_offered(annotation.tag)
    article = kept_article(annotation.tag) if is_on else None
    if is_on and (article is None or not article.html):
        return None
    defaults: dict[str, Any] = {"is_on": is_on}
    if article:
        ranking = ranking_of(annotation.tag, article)
        ranked = {"shown": ranking.shown, "model": ranking.model} if ranking else None
        defaults |= ranked or {"shown": counterparts_in(annotation.tag, article)}
    return CounterpartOffer.objects.get_or_create(annotation=annotation, defaults=defaults)[0]


def ranking_of(tag: Tag, article: Evidence) -> CounterpartRanking | None:
    """The ranking of a tag by the model that the settings name, if it is of these pages; None without one."""
    model = Project.get().counterparts_model
    if not model:
        return None
    of_model = CounterpartRanking.objects.filter(tag=tag, model__startswith=f"{model}, ", shown__isnull=False)
    return of_model.filter(article=article, other=other_article(tag)).first()


def is_offered(tag: Tag) -> bool:
    """Return whether counterparts are suggested for this tag: the setting is on, and the tag is not one of the share
    that goes without. The draw depends on the tag's number alone, so that all its annotators get the same.
    """
    project = Project.get()
    drawn = int(hashlib.sha256(f"counterparts:{tag.pk}".encode()).hexdigest()[:8], 16) % 100
    return project.counterparts_on and drawn >= project.counterparts_left_out_percent


def other_article(tag: Tag) -> Evidence | None:
    """The other article that the tag names, if it is here."""
    return Evidence.objects.filter(tag=tag, kind=EvidenceKind.OTHER).select_related("page").order_by("pk").last()


def counterparts_in(tag: Tag, article: Evidence, score: Score | None = None) -> list[dict[str, Any]]:
    """The likeliest counterparts of a tag's text, in the article or in the other article that the tag names. For a
    banner, which marks no text, pairs: each has its first text under `passage_1`. With a score, the likeliest ten are
    ordered by it. Raises ValueError if that is no number.
    """
    page = _Page(article, page_texts(article.html, article.language or "en"))
    other = other_article(tag)
    elsewhere = _Page(other, page_texts(other.html, other.language or "en")) if other and other.html else None
    own = page.read.tagged_texts()
    if tag.placement in BANNERS and not own:
        return by_score(_pairs(page, elsewhere, tag.reason), "", score)
    query = " ".join(page.read.texts[at].words for at in own)
    if not own and not article.details.get("tag_found"):
        query = as_read(tag.paragraph_clean)
    where, own = (elsewhere, []) if elsewhere else (page, own)
    return by_score(_best(where, query, own, tag.reason, RERANKED if score else SHOWN), query, score)[:SHOWN]


def by_score(found: list[dict[str, Any]], query: str, score: Score | None) -> list[dict[str, Any]]:
    """Counterparts of this text, or pairs, ordered by a score; as they are without one. Raises ValueError if it is no
    number.
    """
    if score is None:
        return found
    scores = [score(each["passage_1"]["text"] if "passage_1" in each else query, each["text"]) for each in found]
    if not all(map(math.isfinite, scores)):
        raise ValueError("the model's score is not a number")
    order = sorted(range(len(found)), key=lambda at: -scores[at])
    return [found[at] for at in order]


@dataclass(frozen=True, slots=True)
class _Page:
    """A page of the pane with its texts; headings contradict nothing, so their words are left out."""

    evidence: Evidence
    read: PageTexts

    def words(self) -> list[str]:
        return [text.words if not text.is_heading else "" for text in self.read.texts]

    def headings(self) -> list[str]:
        return [text.heading for text in self.read.texts]

    def shown(self, position: int) -> dict[str, Any]:
        text: PageText = self.read.texts[position]
        return {
            "evidence": self.evidence.pk,
            "kind": str(self.evidence.kind),
            "start": text.start,
            "end": text.end,
            "text": text.words[:LONGEST_SHOWN],
            "heading": text.heading,
        }


def _best(page: _Page, query: str, own: list[int], reason: str, most: int) -> list[dict[str, Any]]:
    """The likeliest texts, a maximum of `most`; only those likely enough to be shown if that is the number shown."""
    texts = page.words()
    ranked = rank(query, texts, own, reason=reason, headings=page.headings())
    found = likely(ranked)
    if found and most > SHOWN:
        found = ranked[:most]
    return [
        page.shown(one.position)
        | {"chance": round(one.chance, 3), "reason": kept(reason_for(query, texts[one.position]))}
        for one in found
    ]


def _pairs(page: _Page, elsewhere: _Page | None, reason: str) -> list[dict[str, Any]]:
    """The likeliest pairs of texts of the section or article below the banner, or of one of them and the other
    article.
    """
    second = elsewhere or page
    others = elsewhere.words() if elsewhere else []
    headings = page.headings() + (elsewhere.headings() if elsewhere else [])
    found = tagged_pairs(
        page.words(), page.read.tagged_section(), others=others, reason=reason, headings=headings, most=MOST_PAIRS
    )
    return [
        second.shown(pair.two)
        | {
            "passage_1": page.shown(pair.one),
            "score": round(pair.score, 3),
            "reason": kept(reason_for(page.read.texts[pair.one].words, second.read.texts[pair.two].words)),
        }
        for pair in found
    ]
