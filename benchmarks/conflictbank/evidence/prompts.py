"""The prompts for evidence (Tables 6 to 9 of the paper) and for another description of a subject (Figure 9), and the
floor: evidence from a fixed sentence pattern.

Each prompt has the claim of its own cause: the released program puts the misinformation into all of them.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..content.wording import filled
from ..models import Cause, Claim

PROMPTS = Path(__file__).with_name("evidence_prompts.json")
FIELD = re.compile(r"\{(\w+)\}")
# Models should answer in a few words; text after a line break is not part of the description.
LONGEST_DESCRIPTION = 300


@cache
def prompts() -> dict[str, Any]:
    return json.loads(PROMPTS.read_text())


def put_in(text: str, values: Mapping[str, str]) -> str:
    """The text with its fields filled, in one pass: a value with braces stays as it is."""
    return FIELD.sub(lambda found: values.get(found[1], found[0]), text)


def values_of(claim: Claim) -> dict[str, str]:
    """The fields of the prompt for a claim's evidence: the object and the descriptions are those of its cause."""
    conflict = claim.conflict
    object = conflict.object if claim.is_true else conflict.replacement
    subject = conflict.fact.subject
    is_semantic = claim.cause == Cause.SEMANTIC
    return {
        "subject": subject.name,
        "subject_description": conflict.semantic_description if is_semantic else subject.description,
        "object": object.name,
        "object_description": object.description,
        "claim": claim.text,
    }


def evidence_prompt(claim: Claim) -> str:
    instruction = prompts()["instructions"][claim.cause][claim.style]
    return f"{instruction} {put_in(prompts()['suffix'], values_of(claim))}"


def description_prompt(claim: Claim) -> str:
    """The prompt for another description of the subject of a semantic claim, beside the true claim."""
    conflict = claim.conflict
    values = {
        "correct_pair": filled(
            conflict.template.statement, subject=conflict.fact.subject.name, object=conflict.object.name
        ),
        "conflict_pair": claim.text,
        "subject": conflict.fact.subject.name,
        "subject_description": conflict.fact.subject.description,
        "replaced_object": conflict.replacement.name,
        "object_description": conflict.replacement.description,
    }
    return put_in(prompts()["description"], values)


def read_description(reply: str, *, subject: str) -> str:
    """The description in a reply: its first line, without the label that the prompt gives it, quotation marks and a
    full stop; "" if there is none.
    """
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if not lines:
        return ""
    line = re.sub(r"^[-*\s]*(?:modified )?description(?: for [^:]{0,300})?:\s*", "", lines[0], flags=re.IGNORECASE)
    line = line.strip(" \"“”'*[]").rstrip(".").strip()
    return line if line and len(line) <= LONGEST_DESCRIPTION and line.casefold() != subject.casefold() else ""


PATTERN = (
    "{subject} ({subject_description}) is known to many. {claim} That concerns {object} ({object_description}), and "
    "sources that were asked say the same: {claim}"
)


def pattern_evidence(claim: Claim) -> str:
    """The floor: evidence without a model, from a fixed pattern of sentences."""
    return put_in(PATTERN, values_of(claim))


def pattern_description(claim: Claim) -> str:
    """The floor: another description of the subject, made of that of the replaced object."""
    return f"namesake connected with {claim.conflict.replacement.description}"[:LONGEST_DESCRIPTION]
