"""The reading of a judge model's reply.

The rule for reading a reply (WikiContradictEval sets the form, the rule is ours): Markdown and look-alike characters
are removed from a copy. The verdict is on the first line that begins with `evaluation:`, perhaps after list marks, or
ends with one; it is exactly one verdict and nothing else but punctuation or a clause that names none; it may also be
on the line below. Later text is ignored, as a model may run on and invent more examples. A reply without such a line
is *unreadable*, with the reason, and never taken for "incorrect". A verdict mentioned only in passing ("Thus, the
response is correct.") is kept as a hint for people.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator

from judging.protocol.thoughts import split_thoughts
from judging.protocol.verdicts import ParsedVerdict, Unreadable, Verdict

# Characters: judges write far less. Beyond that, a model is repeating itself.
MAX_CHARACTERS = 100_000
DROPPED = str.maketrans("\u2010\u2011", "--", "*_`#>\ufeff\u200b\u200c\u200d\u2060\u00ad")
QUOTES = "\"'“”‘’«»„‟‹›"
# "partially", with the misspellings that the paper's own examples teach, comes first: all three end in "correct".
VERDICTS = (
    (Verdict.PARTIALLY_CORRECT, re.compile(r"(?:partially|partically|particially|partialy|partial)[\s\-]+correct\b")),
    (Verdict.INCORRECT, re.compile(r"incorrect\b")),
    (Verdict.CORRECT, re.compile(r"correct\b")),
)
NAMES_A_VERDICT = re.compile(r"\b(?:(?:in)?correct|parti\w*)\b")
MARKER = re.compile(r"evaluation\s*:")
LIST_MARK = re.compile(r"[\s\-–—•·+]*(?:\d{1,3}[.)]\s*)?\Z")
ONLY_PUNCTUATION = re.compile(r"[\s.!,;:)\]。]*\Z")
SEPARATOR = re.compile(r"\s*[.;,(\-–—。]")
CONCLUSION = re.compile(r"\b(?:thus|therefore|hence|so),? the response is ((?:[a-z]+[\s\-]+)?(?:in)?correct)\b")


def parse_verdict(
    reply: str, *, allowed: Collection[Verdict] = tuple(Verdict), truncated: bool = False
) -> ParsedVerdict:
    """The verdict in a judge model's reply, or why there is none.

    `allowed` are the verdicts that were offered (two for templates 2 and 3); `truncated` says that the reply ended at
    the token limit.
    """
    said = split_thoughts(reply).answer[:MAX_CHARACTERS]
    lines = said.splitlines()
    text = [plain(line) for line in lines]
    reasons = []
    for number, before, value in evaluations(text):
        verdict, reason = read_value(value)
        if verdict and verdict not in allowed:
            verdict, reason = None, Unreadable.NOT_OFFERED
        if verdict or reason == Unreadable.NOT_OFFERED:
            return ParsedVerdict(verdict, reason, comment_of(lines, number, before), conclusion(text))
        reasons.append(reason)
    if not any(text):
        reason = Unreadable.EMPTY
    elif Unreadable.TWO_VERDICTS in reasons:
        reason = Unreadable.TWO_VERDICTS
    else:
        reason = Unreadable.UNKNOWN_VALUE if reasons else Unreadable.NOT_STATED
    if truncated and reason != Unreadable.TWO_VERDICTS:
        reason = Unreadable.TRUNCATED
    return ParsedVerdict(None, reason, said.strip(), conclusion(text))


def plain(line: str) -> str:
    """A line for matching: look-alikes folded (NFKC turns a full-width colon or a no-break space into the usual one),
    Markdown and quotation marks around it dropped, in lower case."""
    return unicodedata.normalize("NFKC", line).translate(DROPPED).strip().strip(QUOTES).strip().lower()


def evaluations(text: list[str]) -> Iterator[tuple[int, bool, str]]:
    """(number of the line, whether other text precedes it on that line, value) of each evaluation."""
    for number, line in enumerate(text):
        markers = list(MARKER.finditer(line))
        if not markers:
            continue
        first, last = markers[0], markers[-1]
        if LIST_MARK.match(line[: first.start()]):
            value = line[first.end() :].strip()
            below = not NAMES_A_VERDICT.search(value)
            yield number, False, (next_line(text, number) or value) if below else value
        elif line[last.start() - 1].isspace():
            # In the middle of a line it counts only if nothing follows: with more words it is a sentence about an
            # evaluation, and after a quotation mark it is a quotation.
            value = line[last.end() :].strip() or next_line(text, number)
            verdict, _ = read_value(value, with_clause=False)
            if verdict:
                yield number, True, value


def next_line(text: list[str], number: int) -> str:
    """The next non-empty line, if it is a verdict; else ""."""
    line = next((line for line in text[number + 1 :] if line), "")
    return line if read_value(line)[0] else ""


def read_value(value: str, *, with_clause: bool = True) -> tuple[Verdict | None, Unreadable | None]:
    """The verdict in `value`, or why there is none."""
    value = value.strip(QUOTES + " \t")
    for verdict, pattern in VERDICTS:
        if match := pattern.match(value):
            rest = value[match.end() :].lstrip(QUOTES)
            if NAMES_A_VERDICT.search(rest):
                return None, Unreadable.TWO_VERDICTS
            if ONLY_PUNCTUATION.match(rest) or (with_clause and SEPARATOR.match(rest)):
                return verdict, None
            return None, Unreadable.UNKNOWN_VALUE
    named = set(NAMES_A_VERDICT.findall(value))
    return None, Unreadable.TWO_VERDICTS if len(named) > 1 else Unreadable.UNKNOWN_VALUE


def comment_of(lines: list[str], number: int, before: bool) -> str:
    """The text before the evaluation, verbatim."""
    said = lines[:number]
    if before:
        line = lines[number]
        said = [*said, line[: line.lower().rfind("evaluation")].rstrip(" *_`#>-")]
    return re.sub(r"\A[\s*_`#>]*comment\s*:[\s*_`]*", "", "\n".join(said), flags=re.IGNORECASE).strip()


def conclusion(text: list[str]) -> Verdict | None:
    """The verdict of "Thus, the response is ...", if it is one."""
    match = CONCLUSION.search(" ".join(text))
    return next((verdict for verdict, pattern in VERDICTS if match and pattern.match(match[1])), None)
