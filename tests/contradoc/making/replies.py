"""A model that writes against the document about Rome, and runs that ask it."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.contradoc.maker.maker import MAKER
from benchmarks.contradoc.making.generation import create_generation_run
from judging.models import LanguageModel, Run
from judging.runs.runs import start_run

ORIGINAL, CONTRADICTION = "The dog likes bread.", "In Rome, the dog hates bread."
REPLACED = {
    "Original Sentence": ORIGINAL,
    "Select Statement": "The dog likes bread.",
    "Contradicted Statement": "The dog hates bread.",
    "Rewrited Sentence": "The dog never eats bread.",
}
INSERTED = {"statement": ORIGINAL, "contradiction": CONTRADICTION}


def started_generation(*models: LanguageModel, method: str = "content_insert", **values: Any) -> Run:
    return start_run(run=create_generation_run(maker=MAKER, method=method, language_models=models, **values))


def writes(statements: Iterable[dict[str, str]] = (INSERTED,)) -> Callable[[dict], str]:
    """A model's replies: statements to a document, labels to checks."""

    def answer(request: dict) -> str:
        said = request["messages"][-1]["content"]
        if said.startswith("Decide how the hypothesis"):
            return "contradiction"
        return "yes" if said.startswith("Decide whether") else json.dumps(list(statements))

    return answer
