"""Converts an annotation's content into the instances of the benchmark and their published forms. No rows here."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from .. import taxonomy
from .checks import is_empty
from .fields import Content, questions_of

InstanceValues = dict[str, Any]
# The subcategory of an instance whose two passages are one.
SAME_PASSAGE = "same"


class HasContent(Protocol):
    content: Any


@dataclass(frozen=True, slots=True)
class Conflict:
    """The content of an instance made of an annotation: a question, and two passages that answer it differently."""

    question: str
    passage_1: str = ""
    passage_2: str = ""
    answer_1: str = ""
    answer_2: str = ""
    same_passage: bool = False
    semantic_types: list[str] = field(default_factory=list)
    modalities: list[str] = field(default_factory=list)
    origin: str = ""
    reasoning_type: str = ""
    article_title: str = ""
    url: str = ""

    @classmethod
    def of(cls, instance: HasContent) -> "Conflict":
        """The content of an instance made of an annotation. Raises TypeError if it is not of that shape."""
        return cls(**instance.content)


INSTANCE_FIELDS = tuple(each.name for each in fields(Conflict))

# The columns of the public question-level file, and what each holds.
CSV_COLUMNS = {
    "question_ID": "the number that the instance keeps from release to release",
    "question": "the question",
    "context1": "passage 1, understandable on its own",
    "context2": "passage 2, understandable on its own",
    "answer1": "the answer by passage 1",
    "answer2": "the answer by passage 2",
    "contradictType": "Explicit or Implicit (reasoning required); empty if not set",
    "samepassage": "Same or Different",
    "merged_context": "both passages, joined by a newline",
    "ref_answer": "both answers, joined by |",
    "WikipediaArticleTitle": "the article with the tag",
    "url": "its address",
}


def instances_of(content: Content, *, title: str, url: str) -> list[InstanceValues]:
    """One instance for each question of a valid tag, under the names of `Conflict`; none for an invalid tag.


    An answer without a question gives no instance, nor does a hint text of the form. A passage without a stand-alone
    version is shown to models as found. If a dimension that takes one option holds several, the last counts.
    """
    if content["wikitag_label_valid"] != "Valid":
        return []
    shared = {
        "passage_1": content["paragraphA_information_standalone"] or content["paragraphA_information"],
        "passage_2": content["paragraphB_information_standalone"] or content["paragraphB_information"],
        "same_passage": content["wikitag_label_samepassage"] == "Same",
        "semantic_types": content[taxonomy.SEMANTIC_TYPE.key],
        "modalities": content[taxonomy.MODALITY.key],
        "origin": (content[taxonomy.ORIGIN.key] or [""])[-1],
        "reasoning_type": (content[taxonomy.REASONING_TYPE.key] or [""])[-1],
        "article_title": title,
        "url": url,
    }
    return [
        {"question": question, "answer_1": answer_1, "answer_2": answer_2, **shared}
        for question, answer_1, answer_2 in questions_of(content)
        if not is_empty(question)
    ]


_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def canonical(value: Any) -> str:
    """The one canonical spelling of a JSON value: keys sorted, no blanks, ASCII only."""
    return _canonical.encode(value)


def instance_key(values: InstanceValues, *, copy: int = 0) -> str:
    """SHA-256 of the content. `copy` counts the identical instances before this one in a release."""
    numbered = {**values, "copy": copy} if copy else values
    return hashlib.sha256(canonical(numbered).encode()).hexdigest()


def csv_row(number: int, instance: Mapping[str, Any]) -> dict[str, Any]:
    """The row of the public question-level file; `contradictType` is the reasoning type, empty if none is set."""
    code = instance["reasoning_type"]
    passages = [instance["passage_1"], instance["passage_2"]]
    answers = [instance["answer_1"], instance["answer_2"]]
    return {
        "question_ID": number,
        "question": instance["question"],
        "context1": passages[0],
        "context2": passages[1],
        "answer1": answers[0],
        "answer2": answers[1],
        "contradictType": taxonomy.REASONING_TYPE.option(code).published if code else "",
        "samepassage": "Same" if instance["same_passage"] else "Different",
        "merged_context": "\n".join(filter(None, passages)),
        "ref_answer": "|".join(filter(None, answers)),
        "WikipediaArticleTitle": instance["article_title"],
        "url": instance["url"],
    }
