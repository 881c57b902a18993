# SPDX-License-Identifier: GPL-3.0-or-later
"""ConflictBank as a task for Inspect: the log-probabilities of the first token decide.

Written by WikiContradict Workbench. See README.md beside this file.
"""

import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

FOLDER = Path(__file__).resolve().parent
if str(FOLDER) not in sys.path:
    sys.path.insert(0, str(FOLDER))

from asked import LETTERS, choice_of, questions, read_release  # noqa: E402

TOP_TOKENS, MOST_TOKENS, ABSENT = 20, 2, -100.0
FORMS = (" A", "A", "(A)")


@task
def conflictbank(template: str = "conflictbank-option-default") -> Task:
    """The questions of one template: one of the twelve conditions, with the order of its two texts.

    Args: template: The code of a template in templates.json.
    """
    return Task(
        dataset=MemoryDataset(
            [
                Sample(id=each["sample"], input=each["prompt"], target=each["correct_option"], metadata=each)
                for each in questions(FOLDER, template)
            ],
            name=template,
        ),
        solver=generate(),
        scorer=most_probable_option(),
        config=GenerateConfig(temperature=0, max_tokens=MOST_TOKENS, logprobs=True, top_logprobs=TOP_TOKENS),
        metadata={"conflictbank": read_release(FOLDER)},
    )


@metric
def ratios() -> Metric:
    """OAR, CAR and M_R over the readable answers, and how many are unreadable."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        choices = [each.score.answer for each in scores]
        counts = {each: choices.count(each) for each in ("default", "replaced", "uncertain", "other")}
        n, both = sum(counts.values()), counts["default"] + counts["replaced"]
        shares = {"OAR": (counts["default"], n), "CAR": (counts["replaced"], n), "M_R": (counts["default"], both)}
        # An undefined ratio is left out: JSON has no nan.
        defined = {name: count / total for name, (count, total) in shares.items() if total}
        return {"n": n, "unreadable": len(choices) - n, **defined}

    return compute


@scorer(metrics=[ratios()])
def most_probable_option() -> Scorer:
    """The option whose label is the most probable first token; none of the four, or two at the top, is unreadable."""

    async def score(state: TaskState, target: Target) -> Score:
        logprobs = labels_in(first_token(state))
        most = max(logprobs.values(), default=0.0)
        top = [letter for letter, value in logprobs.items() if value == most]
        choice = choice_of(state.metadata, top[0]) if len(top) == 1 else "unreadable"
        return Score(value=float(choice == "default"), answer=choice, metadata={"logprobs": logprobs})

    return score


def first_token(state: TaskState) -> dict[str, float]:
    """The log-probabilities of the first token, by its text."""
    told: Any = state.output.choices[0].logprobs if state.output.choices else None
    if told is None or not told.content:
        return {}
    return {each.token: each.logprob for each in told.content[0].top_logprobs or []}


def labels_in(tokens: dict[str, float]) -> dict[str, float]:
    """The log-probability of each option, in the form of the most probable label; empty without any label."""
    found = [(tokens[form.replace("A", letter)], form) for form in FORMS for letter in LETTERS
             if form.replace("A", letter) in tokens]  # fmt: skip
    if not found:
        return {}
    form = max(found)[1]
    return {letter: max(tokens.get(form.replace("A", letter), ABSENT), ABSENT) for letter in LETTERS}
