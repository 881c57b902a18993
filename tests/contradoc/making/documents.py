"""Rows for the tests of documents that are made to contradict themselves, and a model that writes against them."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.contradoc.making.generation import create_generation_run
from benchmarks.contradoc.making.registry import maker_of
from benchmarks.contradoc.models import Document
from judging.models import LanguageModel, Run
from judging.runs.runs import start_run

MAKER = maker_of("contradoc")
TEXT = "Tom lives in Rome. He has a dog. The dog likes bread. Bread is cheap in Rome. Nobody knows why. It rains."
ORIGINAL, CONTRADICTION = "The dog likes bread.", "In Rome, the dog hates bread."
REPLACED = {
    "Original Sentence": ORIGINAL,
    "Select Statement": "The dog likes bread.",
    "Contradicted Statement": "The dog hates bread.",
    "Rewrited Sentence": "The dog never eats bread.",
}
INSERTED = {"statement": ORIGINAL, "contradiction": CONTRADICTION}


def make_documents(*texts: str) -> list[Document]:
    return [
        Document.objects.create(benchmark="contradoc", code=f"news_{number}", doc_type="news", text=text)
        for number, text in enumerate(texts or [TEXT], start=Document.objects.count() + 1)
    ]


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
