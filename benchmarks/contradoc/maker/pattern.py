"""A floor that writes statements without a model: sentences with a number, contradicted by another number.

Its contradictions are of one type and easy to find. It shows the way from documents to a release offline, and
its name says what it does.
"""

import json
import re
from collections.abc import Iterator

from annotation.reading.sentences import sentences

from .values import Method

# Its name at the endpoint, and its label.
PATTERN, PATTERN_LABEL = "statements-pattern", "Baseline: another number, from a pattern"
NUMBER = re.compile(r"(?<![\w.,])\d{1,6}(?![\w.,]*\d)(?!\w)")
# A year becomes one that is nine years later; any other number is more than doubled.
YEARS = range(1000, 2100)


def pattern_statements(text: str, method: Method) -> str:
    """A reply with as many statements as document and method allow, under the keys that the prompts ask for."""
    found = list(_statements(text))[: method.asks_for]
    return json.dumps(found, ensure_ascii=False)


def _statements(text: str) -> Iterator[dict[str, str]]:
    for span in sentences(text):
        sentence = span.of(text).strip()
        number = NUMBER.search(sentence)
        if number is None:
            continue
        changed = sentence[: number.start()] + _another(number[0]) + sentence[number.end() :]
        yield {"Original": sentence, "Contradiction": changed}


def _another(number: str) -> str:
    value = int(number)
    return str(value + 9 if value in YEARS else 2 * value + 3)
