"""Helpers of the tests of evidence: tags as a harvest of the test wiki stores them."""

from annotation.harvesting.harvests import start_harvest
from annotation.harvesting.steps import run_harvest
from annotation.models import Evidence, EvidenceKind, EvidenceRequest, Tag, Wiki


def harvested(wiki: Wiki, *titles: str) -> list[Tag]:
    """The tags of these articles, in the order of titles and text."""
    harvest = start_harvest(source="titles", wiki=wiki, parameters={"titles": list(titles)})
    run_harvest(harvest.pk)
    tags = Tag.objects.filter(article__wiki=wiki).select_related("article__wiki")
    order = {title: number for number, title in enumerate(titles)}
    return sorted(
        (tag for tag in tags if tag.article.title in order), key=lambda tag: (order[tag.article.title], tag.start)
    )


def evidence_of(tag: Tag, kind: EvidenceKind) -> Evidence:
    return Evidence.objects.get(tag=tag, kind=kind)


def request_of(tag: Tag, kind: EvidenceKind) -> EvidenceRequest:
    return EvidenceRequest.objects.get(tag=tag, kind=kind)
