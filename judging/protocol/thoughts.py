"""Separates a model's thoughts from its answer, and shows a response as its judges see it.

Some endpoints return the thoughts separately; others leave them in the text, between marks. Thoughts are never
judged. An answer that merely mentions such marks is unchanged; marks left in it are flagged (`marks_left`).
"""

import re
from dataclasses import dataclass

# `<think>`, `<think type="x">`, `[THINK]`, `◁think▷`, `<|START_THINKING|>`, `<|begin_of_thought|>`.
NAME = r"(?:seed:)?(?:think|thinking|thoughts?|reasoning)"
ATTRIBUTES = r"(?:\s+[\w:-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s<>\"']+))*"
STARTS, ENDS = r"(?:start|begin)(?:_of)?_", r"end(?:_of)?_"
MARK = (
    rf"(?:<\s*({NAME}){ATTRIBUTES}\s*>|◁\s*({NAME})\s*▷|\[\s*(think|thinking)\s*\]"
    rf"|<\|\s*(?:{STARTS})?({NAME})\s*\|>)"
)
OPENING = re.compile(rf"\s*{MARK}", re.IGNORECASE)
ANY_OPENING = re.compile(MARK, re.IGNORECASE)
CLOSING_FORM = (
    r"(?:<\s*/\s*{0}\s*>|◁\s*/\s*{0}\s*▷|\[\s*/\s*{0}\s*\]|<\|\s*(?:/\s*|end(?:_of)?_){0}\s*\|>"
    r"|<\|end\|>\s*(?:<\|begin\|>\s*assistant\s*)?<\|content\|>)"
)
CLOSING = CLOSING_FORM.format(NAME)
# The wrapping of an answer after its thoughts.
WRAP = r"(?:response|solution|text|answer)"
WRAP_OPENS = rf"<\|\s*{STARTS}{WRAP}\s*\|>"
WRAPPED = re.compile(
    rf"\s*(?:{WRAP_OPENS}(.*?)(?:<\|\s*{ENDS}{WRAP}\s*\|>\s*)?|<answer>(.*?)(?:</answer>\s*)?)\Z",
    re.IGNORECASE | re.DOTALL,
)
# At the beginning or end of a line, behind the end of a sentence, or before a wrapped answer: elsewhere the text is
# about such a mark.
CLOSING_ALONE = re.compile(
    rf"^[ \t]*{CLOSING}|{CLOSING}(?=[ \t\r]*$)|(?<=[.!?]){CLOSING}|{CLOSING}(?=\s*{WRAP_OPENS})",
    re.IGNORECASE | re.MULTILINE,
)
# Between two parts of an answer only these, at the beginning of a line.
OPENING_WITHIN = re.compile(rf"^[ \t]*<\s*(think|thinking){ATTRIBUTES}\s*>", re.IGNORECASE | re.MULTILINE)
# Channels, as gpt-oss writes them, and as they are left where the special tokens are taken out.
CHANNEL = re.compile(
    r"(?:<\|start\|>\s*assistant[^<\n]{0,80})?<\|channel\|>\s*(analysis|commentary|final)\b[^<\n]{0,80}"
    r"(?:<\|constrain\|>[^<\n]{0,40})?<\|message\|>",
    re.IGNORECASE,
)
END_OF_MESSAGE = re.compile(r"<\|(?:end|return|call)\|>", re.IGNORECASE)
NEXT_CHANNEL = re.compile(rf"(?<=<\|end\|>)\s*{CHANNEL.pattern}", re.IGNORECASE)
STRIPPED = re.compile(r"\s*(?:assistant)?(?:analysis|commentary)(?=\S|\s+[^\sa-z])")
STRIPPED_FINAL = re.compile(r"(?<![\"'`“‘\w] )(?<![\"'`“‘])assistant(?:\s*\n\s*)?final(?=[^\sa-z\"'`”’]|\s*\n|[a-z])")
ONLY_FINAL = re.compile(r"\s*assistantfinal(?=[^\s\"'`”’])")
STRIPPED_UNCLOSED = re.compile(r"\s*(?:analysis|commentary)(?=[A-Z])")
# As Granite and Gemma write them.
IN_WORDS = re.compile(
    r"\s*Here(?:['’]s| is) my thought process:(.*?)Here(?:['’]s| is) my response:(.*)\Z"
    r"|\s*<\|channel>\s*(?:thought|analysis)\b(.*?)<channel\|>(.*)\Z",
    re.DOTALL,
)
# Texts with none of these contain no thoughts and no marks.
HINT = re.compile(r"[<\[◁]|assistant|\A\s*(?:analysis|commentary|final|Here(?:['’]s| is) my thought)")
# Marks that a provider's format may have left in an answer.
LEFT = re.compile(
    rf"<[|｜][^|｜<>\n]{{1,60}}[|｜]>|{MARK}|{CLOSING}"
    r"|<\|[a-z_]{1,40}>|<[a-z_]{1,40}\|>|\A\s*Here(?:['’]s| is) my thought process:"
    r"|<\s*/?\s*(?:scratchpad|reflection|analysis|(?:inner[_-]?)?monologue|[\w:-]*(?:think|thought|reason)[\w:-]*)"
    r"\b[^<>\n]{0,80}>|\A\s*(?:analysis|commentary|final)(?=[A-Z])|\bassistantfinal|\bassistantanalysis",
    re.IGNORECASE,
)
LEFT_CASED = re.compile(r"\A\s*(?:analysis|commentary|final)[A-Z]")


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
    channels = split_channels(text)
    if channels is not None:
        return channels
    if told := IN_WORDS.match(text):
        thoughts_told, answer_told = (each for each in told.groups() if each is not None)
        return SplitText(answer_told.strip(), thoughts_told.strip())
    thoughts, rest = leading_thoughts(text)
    answer, more = thoughts_within(rest)
    thoughts += more
    wrapped = WRAPPED.match(answer) if thoughts or not rest.lstrip().lower().startswith("<answer>") else None
    if wrapped:
        answer = next(part for part in wrapped.groups() if part is not None)
    elif not thoughts:
        return SplitText(text)
    return SplitText(answer.strip(), said_in(thoughts))


def marks_left(text: str) -> list[str]:
    """The marks in an answer that look like those around thoughts and were not recognised, each once."""
    if not HINT.search(text):
        return []
    answer = split_thoughts(text).answer
    found = (match[0].strip() for match in LEFT.finditer(answer))
    words = ("analysis", "commentary", "final")
    kept = (mark for mark in found if mark.lower() not in words or LEFT_CASED.match(answer))
    return list(dict.fromkeys(kept))


def named_marks(text: str) -> str:
    """`marks_left` in one line of at most 200 characters."""
    return ", ".join(marks_left(text))[:200]


def said_in(thoughts: list[str]) -> str:
    return "\n\n".join(thought.strip() for thought in thoughts if thought.strip())


# --- Channels -------------------------------------------------------------------------------------------------------


def split_channels(text: str) -> SplitText | None:
    """The final channel, and the others as thoughts; None if the text has no channels."""
    first = CHANNEL.match(text, len(text) - len(text.lstrip()))
    if not first:
        # The prompt may have opened the first channel.
        first = NEXT_CHANNEL.search(text)
        if not first:
            return split_stripped(text)
    headers = [first, *CHANNEL.finditer(text, first.end())]
    thoughts = [END_OF_MESSAGE.sub("", text[: first.start()])]
    final: list[str] = []
    ends = [*(header.start() for header in headers[1:]), len(text)]
    for header, end in zip(headers, ends, strict=True):
        body = text[header.end() : end]
        closed = END_OF_MESSAGE.search(body)
        said = body[: closed.start()] if closed else body
        (final if header[1].lower() == "final" else thoughts).append(said)
    return SplitText("\n\n".join(final).strip(), said_in(thoughts))


def split_stripped(text: str) -> SplitText | None:
    """Channels without their special tokens: "analysis...assistantfinal..."."""
    if only := ONLY_FINAL.match(text):
        return SplitText(text[only.end() :].strip())
    opening = STRIPPED.match(text)
    if not opening:
        return None
    if final := STRIPPED_FINAL.search(text, opening.end()):
        return SplitText(text[final.end() :].strip(), text[opening.end() : final.start()].strip())
    if unclosed := STRIPPED_UNCLOSED.match(text):
        return SplitText("", text[unclosed.end() :].strip())
    return None


# --- Tags -----------------------------------------------------------------------------------------------------------


def leading_thoughts(text: str) -> tuple[list[str], str]:
    """The thoughts that a text begins with, and the rest of it."""
    thoughts: list[str] = []
    while opening := OPENING.match(text):
        closing = closing_of(next(filter(None, opening.groups())), text, opening.end())
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
    return re.compile(CLOSING_FORM.format(re.escape(name)), re.IGNORECASE).search(text, start)


def joined(*thoughts: str) -> str:
    """Thoughts from several parts of a reply joined into one text, without repetitions."""
    return "\n\n".join(dict.fromkeys(thought.strip() for thought in thoughts if thought.strip()))


def shown_response(text: str) -> str:
    """A response as judges see it, people and models: without thoughts, leading blanks and one leading "Answer:".

    Models asked without chat markup complete the prompt with blanks and "Answer:", which is stored unchanged.
    Thoughts are split off before a response is stored, but an imported one keeps its text unchanged.
    """
    return split_thoughts(text).answer.lstrip().removeprefix("Answer:").lstrip()
