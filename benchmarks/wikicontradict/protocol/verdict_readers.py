"""Reads a judge's reply. The reader is chosen for a judge run, and stored with its version in each judgment.

`evaluation_line` is the paper's form, read by `evaluations.parse_verdict`. `several_forms` reads that
form and others that judge models use: a JSON object, `Verdict: ...`, `\\boxed{...}`, `partially_correct`. With
either, a reply with two different verdicts counts as having none.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from judging.protocol.choices import TextChoices
from judging.protocol.finish_words import Finish, finish_of
from judging.protocol.thoughts import split_thoughts
from judging.protocol.verdicts import ParsedVerdict, Unreadable, Verdict

from .evaluations import LIST_MARK, MAX_CHARACTERS, evaluations, next_line, parse_verdict, plain, read_value

# A reply that ended like this is no answer. One that was cut may have given its verdict before.
NO_ANSWER = {Finish.FILTERED, Finish.ERROR, Finish.UNKNOWN}


class Reader(TextChoices):
    EVALUATION_LINE = "evaluation_line", "The paper’s form: a line “evaluation: …”"
    SEVERAL_FORMS = "several_forms", "Also JSON, “Verdict: …”, \\boxed{…} and partially_correct"


# Increased whenever a reader would read some reply differently.
VERSIONS = {Reader.EVALUATION_LINE: "evaluation-line/2", Reader.SEVERAL_FORMS: "several-forms/1"}

LABEL = re.compile(r"(?:(?:final|overall)\s+)?(?:verdict|judge?ment|label|rating|grade|assessment|evaluation)\s*:")
JSON_KEYS = ("verdict", "evaluation", "judgment", "judgement", "label", "rating", "grade", "assessment")
COMMENT_KEYS = ("comment", "explanation", "reason", "reasoning", "rationale")
OBJECT = re.compile(r"^[ \t]*\{", re.MULTILINE)
MOST_OBJECTS = 50
BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
TEX = re.compile(r"\\[a-zA-Z]+\s*|[{}$]")
# After its verdict a model may run on and invent further instances; those verdicts are not about this response.
RUN_ON = re.compile(
    r"[\s\-–—•·+]*(?:examples?\s*\d*\s*[:.]?\s*$|testing instance|(?:question|correct[_ ]?answers?|response)\s*:)"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A verdict that a reply states in one of the forms, or the fact that it states two; `line` is its line
    number."""

    line: int
    verdict: Verdict | None
    comment: str = ""


def read_verdict(
    reply: str,
    *,
    reader: str = Reader.EVALUATION_LINE,
    allowed: Collection[Verdict] = tuple(Verdict),
    finish_word: str = "",
) -> ParsedVerdict:
    """The verdict in a judge's reply as `reader` reads it, or why there is none; see `parse_verdict`. `finish_word`
    says why the judge stopped writing: an incomplete reply has no verdict, whatever its text.
    """
    finish = finish_of(finish_word)
    parsed = parse_verdict(reply, allowed=allowed, truncated=finish == Finish.CUT)
    said = split_thoughts(reply).answer[:MAX_CHARACTERS]
    if finish in NO_ANSWER:
        return ParsedVerdict(None, Unreadable.BROKEN_OFF, said.strip(), parsed.verdict or parsed.hint)
    lines = said.splitlines()
    statements = list(evaluation_statements(lines))
    if reader == Reader.SEVERAL_FORMS:
        statements = sorted([*statements, *other_statements(said, lines)], key=lambda each: each.line)
    statements = before_running_on(statements, lines)
    if len({each.verdict for each in statements}) > 1 or any(each.verdict is None for each in statements):
        return ParsedVerdict(None, Unreadable.TWO_VERDICTS, said.strip(), parsed.hint)
    if parsed.verdict or parsed.reason == Unreadable.NOT_OFFERED or not statements:
        return parsed
    first = statements[0]
    if first.verdict not in allowed:
        return ParsedVerdict(None, Unreadable.NOT_OFFERED, said.strip(), parsed.hint)
    comment = first.comment or "\n".join(lines[: first.line]).strip()
    return ParsedVerdict(first.verdict, None, comment, parsed.hint)


def before_running_on(statements: list[Statement], lines: list[str]) -> list[Statement]:
    """The statements up to the line, after the first of them, on which the model starts another instance."""
    if not statements:
        return []
    after = range(statements[0].line + 1, len(lines))
    end = next((number for number in after if RUN_ON.match(plain(lines[number]))), len(lines))
    return [each for each in statements if each.line < end]


def evaluation_statements(lines: list[str]) -> Iterator[Statement]:
    for number, _, value in evaluations([plain(line) for line in lines]):
        verdict, _ = read_value(value)
        if verdict:
            yield Statement(number, verdict)


def other_statements(said: str, lines: list[str]) -> Iterator[Statement]:
    yield from labelled(lines)
    yield from in_objects(said)
    yield from boxed(said)


def statement(line: int, value: str, comment: str = "") -> Iterator[Statement]:
    """The statement of a value, if it is a verdict or two of them; `partially_correct` also counts."""
    verdict, reason = read_value(plain(value.replace("_", " ")))
    if verdict or reason == Unreadable.TWO_VERDICTS:
        yield Statement(line, verdict, comment)


def labelled(lines: list[str]) -> Iterator[Statement]:
    """Lines such as "Final verdict: correct"."""
    text = [plain(line.replace("_", " ")) for line in lines]
    for number, line in enumerate(text):
        label = LABEL.search(line)
        if label and LIST_MARK.match(line[: label.start()]):
            yield from statement(number, line[label.end() :].strip() or next_line(text, number))


def in_objects(said: str) -> Iterator[Statement]:
    """JSON objects that begin a line, alone or in a fence."""
    decoder = json.JSONDecoder()
    end = 0
    for number, opening in enumerate(OBJECT.finditer(said)):
        if number == MOST_OBJECTS:
            return
        if opening.start() < end:
            continue
        try:
            value, end = decoder.raw_decode(said, opening.end() - 1)
        except (ValueError, RecursionError):
            continue
        line = said.count("\n", 0, opening.start())
        values = {str(key).strip().lower(): each for key, each in value.items()}
        comment = next((values[key] for key in COMMENT_KEYS if isinstance(values.get(key), str)), "")
        for key in JSON_KEYS:
            if isinstance(values.get(key), str):
                yield from statement(line, values[key], comment)


def boxed(said: str) -> Iterator[Statement]:
    for box in BOXED.finditer(said):
        yield from statement(said.count("\n", 0, box.start()), TEX.sub(" ", box[1].replace("\\_", "_")))
