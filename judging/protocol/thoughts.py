"""What a reasoning model wrote before its answer, told apart from the answer.

Some endpoints return the thoughts separately; others leave them in the text, between marks. Thoughts are never
judged. An answer that merely mentions such marks stays as it is.
"""

import re
from dataclasses import dataclass

# `<think>`, `[THINK]`, `◁think▷` and the like.
NAMES = r"(?:seed:)?(?:think|thinking|thought|reasoning)"
OPENING = re.compile(rf"\s*[<\[◁]({NAMES})[>\]▷]", re.IGNORECASE)
# At the beginning or end of a line: in the middle of one, the text is about such a mark.
CLOSING_ALONE = re.compile(
    rf"^[ \t]*[<\[◁]/{NAMES}[>\]▷]|[<\[◁]/{NAMES}[>\]▷](?=[ \t\r]*$)", re.IGNORECASE | re.MULTILINE
)
ANY_OPENING = re.compile(rf"[<\[◁]{NAMES}[>\]▷]", re.IGNORECASE)
# Between two parts of an answer only these, at the beginning of a line.
OPENING_WITHIN = re.compile(r"^[ \t]*<(think|thinking)>", re.IGNORECASE | re.MULTILINE)
# The part of a text that can contain thoughts at all.
HINT = re.compile(NAMES, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SplitText:
    """An answer without the thoughts; if there are none, `thoughts` is empty and `answer` the whole text."""

    answer: str
    thoughts: str = ""


def split_thoughts(text: str) -> SplitText:
    """The answer in a model's text, and its thoughts. If the thoughts never end (the reply was cut), there is no
    answer."""
    if not HINT.search(text):
        return SplitText(text)
    thoughts, rest = leading_thoughts(text)
    answer, more = thoughts_within(rest)
    thoughts += more
    if not thoughts:
        return SplitText(text)
    said = [thought.strip() for thought in thoughts if thought.strip()]
    return SplitText(answer.strip(), "\n\n".join(said))


def leading_thoughts(text: str) -> tuple[list[str], str]:
    """The thoughts that a text begins with, and the rest of it."""
    thoughts: list[str] = []
    while opening := OPENING.match(text):
        closing = closing_of(opening[1], text, opening.end())
        if closing is None:
            return [*thoughts, text[opening.end() :]], ""
        thoughts.append(text[opening.end() : closing.start()])
        text = text[closing.end() :]
    # Some chat templates open the thoughts in the prompt, so that the text only closes them.
    unopened = CLOSING_ALONE.search(text)
    if unopened and not ANY_OPENING.search(text, 0, unopened.start()):
        thoughts.append(text[: unopened.start()])
        text = text[unopened.end() :]
    return thoughts, text


def thoughts_within(text: str) -> tuple[str, list[str]]:
    """The text without thoughts that begin on their own line, and those thoughts."""
    kept, thoughts, start = [], [], 0
    while opening := OPENING_WITHIN.search(text, start):
        kept.append(text[start : opening.start()])
        closing = closing_of(opening[1], text, opening.end())
        thoughts.append(text[opening.end() : closing.start() if closing else len(text)])
        start = closing.end() if closing else len(text)
    return "".join([*kept, text[start:]]), thoughts


def closing_of(name: str, text: str, start: int) -> re.Match[str] | None:
    return re.compile(rf"[<\[◁]/{re.escape(name)}[>\]▷]", re.IGNORECASE).search(text, start)


def joined(*thoughts: str) -> str:
    """Thoughts from several parts of a reply joined into one text, without repetitions."""
    return "\n\n".join(dict.fromkeys(thought.strip() for thought in thoughts if thought.strip()))
