"""The site of a release of ContraDoc: its documents with the contradiction marked, by side, kind, scope and type."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from annotation.kinds.signatures import Counts
from annotation.models import Instance, Release
from annotation.releases.datasheets.datasheet import Section
from review.kinds.presentation import Category, Presentation, Shown, data_card, statistics_of

from . import items as item
from .content import showing
from .items import KIND, LABEL, PLUG, SIDES, Content
from .release.making_sheet import making
from .reports.entries import REPORTS

PAPER = """\
@inproceedings{li2024contradoc,
  title     = {ContraDoc: Understanding Self-Contradictions in Documents with Large Language Models},
  author    = {Li, Jierui and Raheja, Vipul and Kumar, Dhruv},
  booktitle = {Proceedings of the 2024 Conference of the North American Chapter of the Association for Computational
               Linguistics: Human Language Technologies},
  year      = {2024}
}"""
MOTIVATION = (
    "The documents measure whether language models find a contradiction within one document. Into some of them "
    "a sentence was put that contradicts another one; the others have no contradiction. The method is that of "
    "ContraDoc (NAACL 2024).",
)
USES = (
    "Meant for evaluating models: whether they say that a document contradicts itself, and what they quote. "
    "Documents of one source, which share the number before the underscore of their ids, belong together: intervals "
    "and splits go by source. Evidence or ref sentences that do not occur word for word in their text are as "
    "published."
)
# How many documents a page has: each stands there in full.
ON_A_PAGE = 10


def _category(group: str, label: str) -> Category:
    slug = re.sub(r"[^a-z]+", "-", f"{group} {label}".lower()).strip("-")
    return Category(group, label, slug)


def _options() -> Iterator[tuple[str, Sequence[str]]]:
    yield "Side", [SIDES[side].capitalize() for side in item.LABELS]
    yield "Kind of document", [kind.capitalize() for kind in item.DOC_TYPES]
    yield "Evidence", [words.capitalize() for words in showing.PLUGGED.values()]
    yield "Scope", [scope.capitalize() for scope in item.SCOPES]
    yield "Type", (*item.TYPES, item.OTHER_TYPE)


CATEGORIES = [_category(group, label) for group, labels in _options() for label in labels]


def categories_of(content: Content, label: str) -> list[Category]:
    found = [("Side", SIDES[content[LABEL]].capitalize()), ("Kind of document", content[KIND].capitalize())]
    if item.is_positive(content):
        found += [
            ("Evidence", showing.PLUGGED[content[PLUG]].capitalize()),
            *(("Scope", scope.capitalize()) for scope in item.scopes_of(content)),
            *(("Type", each) for each in item.types_of(content)),
        ]
    return [_category(*each) for each in found]


def _about(content: Content) -> dict[str, Any]:
    return {**showing.about(content), "plugged": showing.PLUGGED.get(content.get(PLUG, ""), "")}


def shown(instances: Sequence[Instance]) -> list[Shown]:
    return [Shown(each.content[item.ID], each.question, _about(each.content)) for each in instances]


def _counts(release: Release) -> Counts:
    """Documents of both sides, and their sources."""
    return statistics_of(release)[:4]


def _sheet(release: Release) -> list[Section]:
    return data_card(release, MOTIVATION, *making(release), Section("Uses", [USES]), heading="Datasheet")


PRESENTATION = Presentation(
    motivation=MOTIVATION,
    each_is="Each is a document, with its contradiction marked if it has one.",
    paper=PAPER,
    shown=shown,
    card="contradoc/site/_document.html",
    on_a_page=ON_A_PAGE,
    categories_of=categories_of,
    categories=CATEGORIES,
    counts=_counts,
    sheet=_sheet,
    sheet_name="Datasheet",
    # No report by release has the verifiers' answers.
    reports={name: {} for name in (*REPORTS, "contradoc-free-format")},
    asking="contradoc/site/_asking.html",
    template="contradoc-binary",
)
