"""The human evaluation as released with the paper: a JSON file of models, each with a list of records, each an
instance with the model's responses to several prompts and people's verdicts on them.

`prompt_0` to `prompt_4` are templates 1 to 5; variants are under their own name (`prompt_5.1`). Anything in a record
that rows cannot hold, such as the prompt of an unknown template, is kept with the record.
"""

import re
from dataclasses import dataclass
from typing import Any

from annotation import taxonomy
from annotation.content.checks import is_empty
from annotation.content.instances import InstanceValues
from annotation.content.paper_record import Record
from core.files.problems import ShapeError, check_storable
from core.languages import say
from judging.protocol.verdicts import Verdict

TEXTS = (
    "title",
    "url",
    "question1",
    "question1_context1",
    "question1_context2",
    "question1_answer1",
    "question1_answer2",
    "samepassage",
)
DIMENSION_KEYS = {
    "taxonomy-contradictTypeI": taxonomy.SEMANTIC_TYPE,
    "taxonomy-contradictTypeII": taxonomy.MODALITY,
    "taxonomy-contradictTypeIII": taxonomy.ORIGIN,
    "taxonomy-contradictTypeIV": taxonomy.REASONING_TYPE,
}
VERDICTS = {str(verdict.label): verdict for verdict in Verdict}
ANSWER = re.compile(r"ModelAnswer_prompt_(\d{1,3}(?:\.\d{1,3})?)(_humanEval)?")
PROMPT = re.compile(r"(?:ModelInput|goldAnswer)_prompt_.+")
MOST_MODEL_NAME = 100


@dataclass(frozen=True, slots=True)
class EvaluatedAnswer:
    """A model's answer to one prompt, and people's verdict, if there is one. `prompt` is empty if the record lacks
    it: in the released file template 2's was overwritten by the answer.
    """

    template: str
    text: str
    prompt: str
    verdict: Verdict | None


def name_of(model: str, number: int, record: Any) -> str:
    title = record.get("title") if isinstance(record, dict) else None
    name = say("{model}, record {number}", model=model, number=number)
    if not isinstance(title, str) or not title.strip() or not title.isprintable():
        return name
    return say("{name} (“{title}”)", name=name, title=title[:80])


def is_name(model: str) -> bool:
    return bool(model.strip()) and len(model) <= MOST_MODEL_NAME and model.isprintable()


def check_evaluated(record: Any) -> None:
    """Raises ShapeError if the record cannot be read. Unknown keys and nulls are allowed."""
    if not isinstance(record, dict):
        raise ShapeError("", say("it must be an object"))
    check_storable(record)
    answers = [key for key in record if ANSWER.fullmatch(key)]
    for key in (*TEXTS, *DIMENSION_KEYS, *answers, *(key for key in record if PROMPT.fullmatch(key))):
        if not isinstance(record.get(key), str | None):
            raise ShapeError(key, say("must be a text"))
    if is_empty(_text(record, "question1")):
        raise ShapeError("question1", say("is missing or empty"))
    if _text(record, "samepassage") not in ("", "Same", "Different"):
        raise ShapeError("samepassage", say("must be “Same” or “Different”"))
    for key in answers:
        label, answer = _text(record, key), key.removesuffix("_humanEval")
        if key == answer or not label:
            continue
        if label not in VERDICTS:
            raise ShapeError(
                key, say("must be one of {options}, and is “{label}”", options=", ".join(VERDICTS), label=label[:40])
            )
        if not isinstance(record.get(answer), str):
            raise ShapeError(key, say("has a verdict, but “{answer}” is missing", answer=answer))


def _text(record: Record, key: str) -> str:
    return record.get(key) or ""


def instance_of(record: Record) -> InstanceValues:
    """The instance under the names of `annotation.models.Instance`. An option that is not in the taxonomy, such as
    "unknown" for the reasoning type, is left empty."""
    codes = {}
    for key, dimension in DIMENSION_KEYS.items():
        option = dimension.from_published(_text(record, key))
        codes[dimension.code] = option.code if option else ""
    return {
        "question": _text(record, "question1"),
        "answer_1": _text(record, "question1_answer1"),
        "answer_2": _text(record, "question1_answer2"),
        "passage_1": _text(record, "question1_context1"),
        "passage_2": _text(record, "question1_context2"),
        "same_passage": _text(record, "samepassage") == "Same",
        "semantic_types": [codes["semantic_type"]] if codes["semantic_type"] else [],
        "modalities": [codes["modality"]] if codes["modality"] else [],
        "origin": codes["origin"],
        "reasoning_type": codes["reasoning_type"],
        "article_title": _text(record, "title"),
        "url": _text(record, "url"),
    }


def answers_of(record: Record) -> list[EvaluatedAnswer]:
    answers = []
    for key, text in record.items():
        match = ANSWER.fullmatch(key)
        if match and not match[2] and isinstance(text, str):
            prompt = _text(record, f"ModelInput_prompt_{match[1]}")
            label = _text(record, f"{key}_humanEval")
            answers.append(
                EvaluatedAnswer(template_of(match[1]), text, "" if prompt == text else prompt, VERDICTS.get(label))
            )
    return answers


def template_of(suffix: str) -> str:
    """The template for `prompt_<suffix>`: `0` is 1, `5.1` is itself."""
    return suffix if "." in suffix else str(int(suffix) + 1)


def suffix_of(template: str) -> str:
    """The inverse of `template_of`, for a template's code (and version, if it is not the first)."""
    return str(int(template) - 1) if template.isdecimal() else template.replace(" ", "_")
