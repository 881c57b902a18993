"""The released prompts for statements of a document and their contradictions, and their settings."""

import json
from pathlib import Path
from typing import Any

from core.languages import say

from .values import Method

RELEASED: dict[str, Any] = json.loads((Path(__file__).parent / "generation_prompts.json").read_text("utf-8"))
INSERT, REPLACE = "Insert", "Replace"


def _method(code: str, name: str, asks_for: int, operation: str) -> Method:
    return Method(code, name, RELEASED["prompts"][code], asks_for, operation)


METHODS = {
    method.code: method
    for method in (
        _method("content_insert", say("Facts, with a contradiction of each"), 5, INSERT),
        _method("content_replace", say("Facts, with the sentence rewritten"), 10, REPLACE),
        _method("subjective_replace", say("Opinions and feelings, with the sentence rewritten"), 3, REPLACE),
    )
}
