"""The samples that lm-evaluation-harness logs (`samples_*.jsonl`) as records of responses."""

import json
import re
from collections.abc import Iterator
from typing import Any

from annotation.models import Release
from core.files.problems import ShapeError, broken
from core.files.records import NotJson, read_lines
from core.languages import say

from ..models import Mark
from ..protocol.replies import stored_tokens
from ..protocol.tasks import judge_baselines
from ..protocol.verdicts import Verdict
from .logprobs import token_of_options
from .logs import Log, Record, about_question, at, release_of, sample_id

BEGINNING = re.compile(r'\s*\{\s*"doc_id"\s*:')


def is_lm_eval_log(begun: str) -> bool:
    return bool(BEGINNING.match(begun))


class LmEvalLog(Log):
    """A sample on each line: the request and the replies. The model is not in it."""

    def __init__(self, name: str, release: Release | None, model: str):
        super().__init__(name, release)
        self.model = model

    def records(self, parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
        release: Release | None = None
        if not self.model:
            raise broken(
                say(
                    "It holds samples of lm-evaluation-harness, which do not name their model. Name the model: "
                    "on the page under Model, or with --model."
                )
            )
        for line, sample in read_lines(parts):
            where = say("Line {line}", line=line)
            if isinstance(sample, NotJson):
                yield where, sample
                continue
            release = release or self.release_in(sample)
            try:
                yield from ((where, record) for record in list(self.sample(sample, release)))
            except ShapeError as error:
                yield where, NotJson(json.dumps(sample)[:2_000], str(error))

    def release_in(self, sample: Any) -> Release:
        said = {"number": at(sample, "doc", "release"), "content_hash": at(sample, "doc", "content_hash")}
        if said["content_hash"] is None:
            raise broken(say("It holds samples of lm-evaluation-harness for a task that this program did not write."))
        return release_of(said, self.wanted)

    def sample(self, sample: Any, release: Release) -> Iterator[Record]:
        """A record for each reply."""
        about = at(sample, "doc")
        asked = about_question(about, release)
        if at(about, "sample") != sample_id(about):
            raise ShapeError(
                "doc.sample", say("is not {sample_id}, which the other fields say", sample_id=sample_id(about)[:80])
            )
        if is_choice(sample):
            yield asked | self.choice(sample, asked)
            return
        replies = at(sample, "resps", 0)
        if not isinstance(replies, list):
            raise ShapeError("resps", say("must be a list with a list of replies"))
        if not replies:
            self.leave_out(sample_id(about), "the model was not asked")
        judgments = judgments_in(sample) if len(replies) == 1 else []
        for number, reply in enumerate(replies, start=1):
            if reply is None:
                self.leave_out(f"{sample_id(about)} (repetition {number})", "the model gave no reply")
                continue
            self.check_probabilities(asked, "resps", are_there=False)
            yield asked | {
                "model": self.model,
                "repetition": number,
                "text": reply,
                "messages": messages_in(at(sample, "arguments", "gen_args_0", "arg_0"), at(about, "prompt")),
                "judgments": judgments,
                "made_with": "lm_eval",
            }

    def choice(self, sample: Any, asked: Record) -> Record:
        """The fields of a record about the likeliest of several options, with the log-likelihoods of all. Raises
        ShapeError.
        """
        if not self.is_read_by_probability(asked):
            raise ShapeError(
                "resps", say("compare options, and the template “{asked}” asks for a text", asked=asked["template"])
            )
        path = "resps" if isinstance(at(sample, "resps", 0, 0), list) else "filtered_resps"
        replies = [at(each, 0) if path == "resps" else each for each in at(sample, path)]
        sent = [at(sample, "arguments", f"gen_args_{number}") for number in range(len(replies))]
        if len({json.dumps(at(each, "arg_0")) for each in sent}) > 1:
            raise ShapeError("arguments", say("hold another prompt for one option than for another"))
        token = token_of_options([at(each, "arg_1") for each in sent], replies, path)
        return {
            "model": self.model,
            "repetition": 1,
            "text": token.text,
            "logprobs": stored_tokens([token]),
            "messages": messages_in(at(sent[0], "arg_0"), at(sample, "doc", "prompt")),
            "made_with": "lm_eval",
        }


def is_choice(sample: Any) -> bool:
    """Return whether the model compared options: then each reply is a list. Some logs have only the filtered ones."""
    reply = at(sample, "filtered_resps", 0) if at(sample, "resps") is None else at(sample, "resps", 0, 0)
    return isinstance(reply, list)


def judgments_in(sample: Any) -> list[Record]:
    """The judgment of the reply by the baseline judge, which the task scores with: only the verdict is logged."""
    said = [verdict for verdict in Verdict if at(sample, verdict.value) == 1]
    if len(said) != 1 or at(sample, "filter") != "none":
        return []
    judge = next(iter(judge_baselines().values()))
    return [{"judge": judge, "verdict": said[0].value, "text": "", "mark": Mark.COMPLETE.value}]


def messages_in(sent: Any, prompt: Any) -> list[dict[str, Any]]:
    """The messages that were sent, from a text or a chat in JSON. Raises ShapeError if the prompt is not in them."""
    if isinstance(sent, list) and len(sent) == 1:
        sent = sent[0]
    if not isinstance(sent, str) or not isinstance(prompt, str):
        raise ShapeError("arguments", say("must contain the message as a text"))
    messages = chat_in(sent) or [{"role": "user", "content": sent}]
    # A chat template may remove the blanks around it.
    if not any(prompt.strip() in each["content"] for each in messages):
        raise ShapeError("arguments", say("contain another message than the task’s"))
    return messages


def chat_in(sent: str) -> list[dict[str, Any]]:
    """The messages of a chat in JSON; [] if the text is not one."""
    try:
        chat = json.loads(sent) if sent.startswith("[") else []
    except (ValueError, RecursionError):
        return []
    is_chat = isinstance(chat, list) and all(isinstance(at(each, "content"), str) for each in chat)
    return [{"role": str(at(each, "role")), "content": each["content"]} for each in chat] if is_chat else []
