"""The site of a release of WikiContradict: questions with both passages, by the paper's dimensions."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation import taxonomy
from annotation.content.choices import in_words
from annotation.content.instances import Conflict
from annotation.content.marking import Piece, mark_spans
from annotation.kinds.signatures import Content
from annotation.models import Instance
from annotation.releases.datasheets.datasheet import datasheet, motivation
from annotation.releases.spans import Spans, spans_of
from core.outside import web_address
from review.kinds.presentation import Category, Presentation, Shown

from .protocol.prompts import PROTOCOL

PAPER = """\
@inproceedings{hou2024wikicontradict,
  title     = {WikiContradict: A Benchmark for Evaluating LLMs on Real-World Knowledge Conflicts from Wikipedia},
  author    = {Hou, Yufang and Pascale, Alessandra and Carnerero-Cano, Javier and Tchrakian, Tigran and
               Marinescu, Radu and Daly, Elizabeth and Padhi, Inkit and Sattigeri, Prasanna},
  booktitle = {Advances in Neural Information Processing Systems 37, Datasets and Benchmarks Track},
  year      = {2024}
}"""
# The reports that name no person. Of agreement, the breakdown by pair of reviewers is left out.
REPORTS: dict[str, dict[str, Any]] = {
    "table1": {},
    "table2": {},
    "table3": {},
    "table4": {},
    "table5": {},
    "table6": {},
    "comparison": {"by": "template"},
    "agreement": {"by": "template", "page": 1},
}


def _categories() -> Iterator[tuple[tuple[str, str], Category]]:
    for dimension in taxonomy.DIMENSIONS:
        slug = dimension.code.replace("_", "-")
        for option in dimension.options:
            yield (
                (dimension.code, option.code),
                Category(dimension.name, in_words(option), f"{slug}-{option.code.lower()}"),
            )
        yield (dimension.code, ""), Category(dimension.name, "Not set", f"{slug}-not-set")
    yield ("passages", "same"), Category("Passages", "The two passages are the same", "passages-same")
    yield ("passages", "different"), Category("Passages", "The two passages differ", "passages-different")


# In the order of the paper's dimensions; by dimension and option.
CATEGORIES = dict(_categories())


def categories_of(content: Content, label: str) -> list[Category]:
    conflict = Conflict(**content)
    found = [("passages", "same" if conflict.same_passage else "different")]
    for dimension, codes in (
        (taxonomy.SEMANTIC_TYPE, conflict.semantic_types),
        (taxonomy.MODALITY, conflict.modalities),
        (taxonomy.ORIGIN, [conflict.origin]),
        (taxonomy.REASONING_TYPE, [conflict.reasoning_type]),
    ):
        known = [code for code in codes if (dimension.code, code) in CATEGORIES]
        found += [(dimension.code, code) for code in known or [""]]
    return [CATEGORIES[key] for key in dict.fromkeys(found)]


def _passages(conflict: Conflict, spans: Spans) -> list[tuple[int, list[Piece], str]]:
    """(number, text with the contradicted spans marked, answer) of each passage."""
    texts = ((1, conflict.passage_1, conflict.answer_1), (2, conflict.passage_2, conflict.answer_2))
    if conflict.same_passage:  # each span may stand in either text
        return [(number, mark_spans(text, spans), answer) for number, text, answer in texts]
    return [
        (number, mark_spans(text, {of: span for of, span in spans.items() if of == number}), answer)
        for number, text, answer in texts
    ]


def shown(instances: Sequence[Instance]) -> list[Shown]:
    spans = spans_of(instances)
    return [_shown(each, Conflict.of(each), spans[each.pk]) for each in instances]


def _shown(instance: Instance, conflict: Conflict, spans: Spans) -> Shown:
    about = {
        "passages": _passages(conflict, spans),
        "title": conflict.article_title,
        # The address of the article, if it is safe to link to.
        "article": web_address(conflict.url),
    }
    return Shown(instance.question, conflict.article_title, about)


PRESENTATION = Presentation(
    motivation=tuple(motivation().paragraphs),
    each_is="Each is a question with two passages that give different answers.",
    paper=PAPER,
    texts="Passages are quoted from the articles; the datasheet names their licence.",
    shown=shown,
    card="wikicontradict/site/_instance.html",
    categories_of=categories_of,
    categories=list(CATEGORIES.values()),
    sheet=datasheet,
    sheet_name="Datasheet",
    reports=REPORTS,
    prompts=lambda benchmark: PROTOCOL,
    prompts_are="the paper's prompts and its judge",
    asking="wikicontradict/site/_asking.html",
    template="5",
)
