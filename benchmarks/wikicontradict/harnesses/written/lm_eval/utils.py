# SPDX-License-Identifier: GPL-3.0-or-later
"""WikiContradict as tasks for lm-evaluation-harness, one for each prompt template.

Written by WikiContradict Workbench, which also reads the logged samples. See README.md beside this file.
"""

import sys
from pathlib import Path
from typing import Any

import datasets

FOLDER = Path(__file__).resolve().parent
if str(FOLDER) not in sys.path:
    sys.path.insert(0, str(FOLDER))

from wikicontradict_rules.asked import questions  # noqa: E402
from wikicontradict_rules.baseline_judge import baseline_reply  # noqa: E402
from wikicontradict_rules.protocol.thoughts import split_thoughts  # noqa: E402
from wikicontradict_rules.protocol.verdicts import Verdict  # noqa: E402
from wikicontradict_rules.verdict_readers import read_verdict  # noqa: E402


def load(template: str, **_given: Any) -> dict[str, datasets.Dataset]:
    """The questions of the prompt with this code."""
    rows = [
        {**each.about, "sample": each.id, "system": each.system, "prompt": each.prompt}
        for each in questions(FOLDER, [template])
    ]
    return {"test": datasets.Dataset.from_list(rows)}


def doc_to_text(doc: dict[str, Any]) -> str:
    """The prompt as it is: text in passages that looks like a template stays text."""
    return doc["prompt"]


def doc_to_target(doc: dict[str, Any]) -> str:
    return " | ".join(doc["correct_answers"])


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """The verdict of the baseline judge, which needs no model: it looks for the correct answers in the response."""
    verdict = verdict_on(doc, results[0])
    return {each.value: float(each == verdict) for each in Verdict}


def verdict_on(doc: dict[str, Any], response: str) -> Verdict | None:
    if not doc["correct_answers"] or not split_thoughts(response).answer.strip():
        return None
    offered = [Verdict(value) for value in doc["verdicts"]] or list(Verdict)
    reply = baseline_reply(doc["question"], doc["correct_answers"], response, expects=doc["expects"], allowed=offered)
    return read_verdict(reply, allowed=offered).verdict
