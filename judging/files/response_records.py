"""A response as a record of a file: flat, with the frozen instance in it, so that a file is self-contained.

Only names and values; all other fields of a record are kept, and exported again.
"""

from functools import cache

from annotation.content.instances import INSTANCE_FIELDS as INSTANCE

from ..protocol.tasks import variant_columns

# A reply's own data, under the names of `judging.models.ModelOutput`.
OUTPUT = (
    "mark",
    "finish_reason",
    "refusal",
    "reasoning",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "seconds",
    "cost",
    "provider_id",
    "served_model",
    "reused",
    "answered_at",
)
_COLUMNS = (
    "response",
    "run",
    "run_name",
    "release",
    "question_ID",
    "model",
    "endpoint_name",
    "template",
    "template_version",
    "repetition",
    "text",
    # Always computed from the text; an import ignores it.
    "marks_left",
    *OUTPUT,
    "messages",
    "instance",
    *INSTANCE,
)
# The log-probabilities of the text's tokens: only in records of responses that have them.
LOGPROBS = "logprobs"
# The number of a response among those that form one answer: only in records of such responses.
PART = "answer_part"
# How its prompt was composed: only in records of responses whose task records it. An import ignores it.
COMPOSITION = "composition"
# Judge models' verdicts on the response: a list of objects with `judge`, these texts, `messages`, and other names
# in `OUTPUT`.
JUDGMENTS = "judgments"
JUDGMENT_TEXTS = (
    *("endpoint_name", "text", "verdict", "unreadable_reason", "comment", "hint", "assembly", "reader"),
    *("mark", "finish_reason", "refusal", "reasoning", "provider_id", "served_model"),
)
LISTS = {"messages", "semantic_types", "modalities", JUDGMENTS}
BOOLEANS = {"same_passage", "reused"}
DECIMALS = {"seconds", "cost"}
_TEXTS = {
    *("run_name", "model", "endpoint_name", "template", "text", "marks_left", "instance"),
    *(set(INSTANCE) - LISTS - BOOLEANS),
    *("mark", "finish_reason", "refusal", "reasoning", "provider_id", "served_model"),
}
WHOLE_NUMBERS = {
    "question_ID",
    "release",
    "template_version",
    "repetition",
    PART,
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
}
# The names of the public question-level file, for records that were made from it.
ALIASES = {
    "context1": "passage_1",
    "context2": "passage_2",
    "answer1": "answer_1",
    "answer2": "answer_2",
    "WikipediaArticleTitle": "article_title",
}


@cache
def columns() -> tuple[str, ...]:
    """The columns of a file, with those of variants."""
    return (*_COLUMNS, *(column.name for column in variant_columns()))


@cache
def texts() -> frozenset[str]:
    """The columns with text."""
    return frozenset(_TEXTS | {column.name for column in variant_columns()})


@cache
def own_names() -> frozenset[str]:
    """The names in a record that the program reads; all others are kept as they are."""
    return frozenset({*columns(), JUDGMENTS, LOGPROBS, PART, COMPOSITION})


def with_own_names(record: dict[str, object]) -> dict[str, object]:
    """The record with our names, if it uses those of the public file."""
    named = {ALIASES.get(key, key) if ALIASES.get(key) not in record else key: record[key] for key in record}
    if named.get("samepassage") in ("Same", "Different") and "same_passage" not in named:
        named["same_passage"] = named.pop("samepassage") == "Same"
    return named
