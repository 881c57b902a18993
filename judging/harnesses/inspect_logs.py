"""Inspect's logs as records of responses, with the judge's judgment of each."""

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

from annotation.kinds.registry import benchmarks
from annotation.models import Release
from core.files.problems import ShapeError, broken
from core.files.records import NotJson, read_lists
from core.languages import say

from ..protocol.finish_words import word_of
from ..protocol.replies import stored_tokens
from .logprobs import tokens_of_inspect
from .logs import Log, Record, about_question, at, release_of, sample_id

BEGINNING = re.compile(r'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')
# Runs of Inspect by their ids, so that a log is the same run whatever its file is called.
RUNS = uuid.UUID("5a4c7e0e-38b5-4f37-9c1e-2b8a4b1f6f0d")


def is_inspect_log(begun: str) -> bool:
    return bool(BEGINNING.match(begun))


class InspectLog(Log):
    """A log in JSON: `eval` gives the task and the model, `samples` the results."""

    release: Release | None = None

    def records(self, parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
        for name, number, value in read_lists(parts):
            if name == "eval":
                self.read_header(value)
            elif name == "samples" and number:
                yield from self.sample(number, value)
        if self.release is None:
            raise broken(say("It has no part “eval”."))

    def read_header(self, header: object) -> None:
        task = at(header, "task")
        said = next(filter(None, (at(header, "metadata", each.code) for each in benchmarks())), None)
        if said is None:
            raise broken(
                say(
                    "It is Inspect’s log of the task “{task}”, which this program did not write.", task=str(task)[:60]
                )
            )
        if at(header, "solver") is not None:
            solver = str(at(header, "solver"))[:60]
            raise broken(
                say("It is from a run with another solver, “{solver}”, which did not use the prompts.", solver=solver)
            )
        self.release = release_of(said, self.wanted)
        self.run = str(uuid.uuid5(RUNS, str(at(header, "eval_id") or at(header, "run_id"))))
        self.model = at(header, "model")
        self.made_with = f"inspect_ai {at(header, 'packages', 'inspect_ai') or ''}".strip()

    def sample(self, number: int, sample: object) -> Iterator[tuple[str, Any]]:
        where = f"Sample {number} ({str(at(sample, 'id'))[:60]})"
        if self.release is None:
            raise broken(say("Its samples come before the part “eval”."))
        problem = at(sample, "error", "message")
        if problem is not None or not at(sample, "output", "choices"):
            epoch = at(sample, "epoch")
            self.leave_out(f"{at(sample, 'id')} (epoch {epoch})", str(problem or "the model was not asked"))
            return
        try:
            yield where, self.record(sample, self.release)
        except ShapeError as error:
            yield where, NotJson(json.dumps(sample)[:2_000], str(error))

    def record(self, sample: object, release: Release) -> Record:
        about = at(sample, "metadata")
        asked = about_question(about, release)
        if at(sample, "id") != sample_id(about):
            raise ShapeError(
                "id", say("is not {sample_id}, which its metadata says", sample_id=sample_id(about)[:80])
            )
        output = at(sample, "output")
        text, reasoning = said_in(at(output, "choices", 0, "message", "content"))
        path = "output.choices.0.logprobs"
        tokens = tokens_of_inspect(at(output, "choices", 0, "logprobs"), path)
        self.check_probabilities(asked, path, are_there=tokens is not None)
        scores = at(sample, "scores")
        judgments = [at(each, "metadata", "judgment") for each in scores.values()] if isinstance(scores, dict) else []
        return asked | {
            "run": self.run,
            "run_name": self.name,
            "model": self.model,
            "endpoint_name": self.model,
            "repetition": at(sample, "epoch"),
            "text": text,
            "reasoning": reasoning,
            "logprobs": stored_tokens(tokens),
            "finish_reason": word_of(at(output, "choices", 0, "stop_reason")),
            "prompt_tokens": at(output, "usage", "input_tokens"),
            "cached_tokens": at(output, "usage", "input_tokens_cache_read"),
            "completion_tokens": at(output, "usage", "output_tokens"),
            "seconds": at(output, "time"),
            "served_model": at(output, "model"),
            "answered_at": at(sample, "completed_at"),
            "messages": messages_in(at(sample, "input")),
            "judgments": [each for each in judgments if each],
            "made_with": self.made_with,
        }


def messages_in(given: object) -> list[dict[str, object]]:
    """The messages of a sample's input. Raises ShapeError."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list):
        raise ShapeError("input", say("must be a text or a list of messages"))
    return [{"role": at(each, "role"), "content": said_in(at(each, "content"))[0]} for each in given]


def said_in(content: object) -> tuple[str, str]:
    """The text and the thoughts of a message with a text or a list of parts as its content. Raises ShapeError."""
    if isinstance(content, str):
        return content, ""
    if not isinstance(content, list):
        raise ShapeError("content", say("must be a text or a list of parts"))
    texts = [at(part, "text") for part in content if at(part, "type") == "text"]
    thoughts = [at(part, "reasoning") for part in content if at(part, "type") == "reasoning"]
    if not all(isinstance(each, str) for each in (*texts, *thoughts)):
        raise ShapeError("content", say("has a part without text"))
    return "".join(texts), "\n\n".join(thoughts)
