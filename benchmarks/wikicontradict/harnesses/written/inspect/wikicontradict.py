# SPDX-License-Identifier: GPL-3.0-or-later
"""WikiContradict as a task for Inspect: `inspect eval wikicontradict.py --model PROVIDER/MODEL`.

Written by WikiContradict Workbench, which also reads the logs. See README.md beside this file.
"""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
    model_roles,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

FOLDER = Path(__file__).resolve().parent
if str(FOLDER) not in sys.path:
    sys.path.insert(0, str(FOLDER))

from wikicontradict_rules.asked import Question, questions, read_release  # noqa: E402
from wikicontradict_rules.baseline_judge import BASELINE_JUDGE, baseline_reply  # noqa: E402
from wikicontradict_rules.judge import ASSEMBLY, judge_messages  # noqa: E402
from wikicontradict_rules.prompts import DECODING  # noqa: E402
from wikicontradict_rules.protocol.finish_words import Finish, finish_of  # noqa: E402
from wikicontradict_rules.protocol.thoughts import split_thoughts  # noqa: E402
from wikicontradict_rules.protocol.verdicts import Verdict  # noqa: E402
from wikicontradict_rules.verdict_readers import VERSIONS, Reader, read_verdict  # noqa: E402

NONE = "no verdict"


@task
def wikicontradict(
    templates: str | int | float | list[Any] = "",
    judge: str = "",
    reader: str = Reader.EVALUATION_LINE.value,
    empty_system: bool = True,
) -> Task:
    """The questions of a release, with the decoding of the paper's runs.

    Args:
        templates: Codes of prompt templates, such as 1,4,5; all if it is empty.
        judge: The judge model. If it is empty: the model in the role "grader", or else the baseline judge, which
            needs no model and looks for the answers in the text.
        reader: How the judge's reply is read: evaluation_line, the paper's form, or several_forms.
        empty_system: Send an empty system message, as the paper's runs did. Some models take none.
    """
    chosen = templates if isinstance(templates, list) else [templates] if templates != "" else []
    codes = [str(code) for code in chosen]
    release = read_release(FOLDER)
    return Task(
        dataset=MemoryDataset(
            [sample(each, empty_system=empty_system) for each in questions(FOLDER, codes)],
            name=f"wikicontradict-release-{release['number']}",
        ),
        solver=generate(),
        scorer=wikicontradict_eval(judge, reader),
        config=GenerateConfig(**DECODING),
        metadata={"wikicontradict": release},
    )


def sample(question: Question, *, empty_system: bool) -> Sample:
    system: list[ChatMessage] = []
    if question.system or empty_system:
        system = [ChatMessageSystem(content=question.system)]
    return Sample(
        id=question.id,
        input=[*system, ChatMessageUser(content=question.prompt)],
        target=question.about["correct_answers"],
        metadata=question.about,
    )


# --- WikiContradictEval ---------------------------------------------------------------------------------------------


@metric
def verdicts() -> Metric:
    """By template: how many responses have a verdict, and which share of these has which."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        by_template = defaultdict(list)
        for each in scores:
            by_template[(each.sample_metadata or {})["template"]].append(each.score.value)
        shares: dict[str, float] = {}
        for template, values in sorted(by_template.items()):
            judged = sum(1 - value[NONE] for value in values)
            shares[f"template {template}: judged"] = judged
            for verdict in Verdict:
                share = sum(value[verdict.value] for value in values) / judged if judged else 0.0
                shares[f"template {template}: {verdict.label.lower()}"] = share
        return shares

    return compute


@scorer(metrics=[verdicts()])
def wikicontradict_eval(judge: str = "", reader: str = Reader.EVALUATION_LINE.value) -> Scorer:
    """The judge model of WikiContradict, with the paper's prompt; a reply without a readable verdict has none."""

    async def score(state: TaskState, target: Target) -> Score:
        problem = why_not_judged(state)
        if problem:
            return Score(value=value_of(""), answer=NONE, explanation=problem, metadata={"not_judged": problem})
        model = judge_model(judge)
        said = await asked_model(model, state) if model else asked_baseline(state)
        offered = [Verdict(value) for value in state.metadata["verdicts"]] or list(Verdict)
        read = read_verdict(said["text"], reader=reader, allowed=offered, finish_word=said["finish_reason"])
        verdict = read.verdict.value if read.verdict else ""
        judgment = said | {
            "verdict": verdict,
            "unreadable_reason": read.reason.value if read.reason else "",
            "comment": read.comment,
            "hint": read.hint.value if read.hint else "",
            "reader": VERSIONS[Reader(reader)],
        }
        metadata = {"judgment": judgment}
        return Score(value=value_of(verdict), answer=verdict or NONE, explanation=said["text"], metadata=metadata)

    return score


def value_of(verdict: str) -> dict[str, float]:
    """A number for each verdict, so that epochs can be averaged."""
    return {name: float(name == (verdict or NONE)) for name in (*(each.value for each in Verdict), NONE)}


def why_not_judged(state: TaskState) -> str:
    if finish_of(state.output.stop_reason) != Finish.WHOLE:
        return "The response is not complete."
    if not split_thoughts(state.output.completion).answer.strip():
        return "The response is empty."
    return "" if state.metadata["correct_answers"] else "The instance has no answer to compare with."


def judge_model(judge: str) -> Model | None:
    """The model that judges; None for the baseline judge."""
    if judge:
        return get_model(judge)
    return get_model(role="grader") if "grader" in model_roles() else None


async def asked_model(model: Model, state: TaskState) -> dict[str, Any]:
    messages = messages_for(state)
    chat = [ChatMessageSystem(content=messages[0]["content"]), ChatMessageUser(content=messages[1]["content"])]
    output: ModelOutput = await model.generate(chat, config=GenerateConfig(**DECODING))
    usage = output.usage
    return {
        "judge": str(model),
        "text": output.completion,
        "messages": messages,
        "assembly": ASSEMBLY,
        "finish_reason": output.stop_reason,
        "prompt_tokens": usage.input_tokens if usage else None,
        "completion_tokens": usage.output_tokens if usage else None,
        "served_model": output.model,
    }


def asked_baseline(state: TaskState) -> dict[str, Any]:
    about = state.metadata
    text = baseline_reply(
        about["question"],
        about["correct_answers"],
        state.output.completion,
        expects=about["expects"],
        allowed=[Verdict(value) for value in about["verdicts"]],
    )
    return {"judge": BASELINE_JUDGE, "text": text, "messages": [], "assembly": ASSEMBLY, "finish_reason": "stop"}


def messages_for(state: TaskState) -> list[dict[str, str]]:
    about = state.metadata
    return judge_messages(about["question"], about["correct_answers"], state.output.completion)
