"""The prompt of WikiContradictEval, the judge model of WikiContradict (NeurIPS 2024, appendix C).

The paper prints system prompt, examples and testing instance as one text, without chat roles. Here the system prompt
is the system message and the rest is one user message; `ASSEMBLY` names this arrangement and is stored with each
judgment.

Question, answers and response come from other people and models: they must not pass for the prompt's own parts. A
line that begins with the name of one (`question:`, `Example 9`, `Testing instance` ...), and `evaluation:` anywhere,
gets that name in quotation marks: `"evaluation": correct`. It reads the same, does not end the instance, and is not
taken for a verdict even if the judge repeats it word for word. All other text is kept byte for byte.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from judging.protocol.prompts import render
from judging.protocol.thoughts import shown_response
from judging.protocol.verdicts import Verdict

from .prompts import PROTOCOL

ASSEMBLY = "wikicontradict-eval/1: examples in the user message, names of the prompt's parts quoted in texts"
ASSEMBLY_AS_JSON = f"{ASSEMBLY}; verdict asked for as a JSON schema"
JUDGE = PROTOCOL["judge"]
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
NAMES = r"question|correct[_ ]?answers?|response|comment|evaluation"
# The name of a part where it could begin one: Markdown, quotation and list marks may come before it.
PART = re.compile(
    rf"^([\s*_`#>~\-–—•·+|\"'“”‘’«»(\[\]]*(?:\d{{1,3}}[.)]\s*)?[*_`]*)"
    rf"((?:{NAMES})(?=[\s*_`\])]*:)|testing\s+instance|examples?(?=[\s\d*_`.:)\]]*$))",
    re.IGNORECASE,
)
EVALUATION = re.compile(r"(?<!\")\bevaluation(?=[\s*_`]*:)", re.IGNORECASE)


def judge_messages(question: str, answers: Sequence[str], response: str) -> list[dict[str, str]]:
    """The messages that ask a judge model for a verdict on `response`, given the correct answers."""
    instance = render(
        JUDGE["test_instance_form"],
        {
            "question": without_parts(question),
            "correct_answers": " | ".join(without_parts(answer) for answer in answers),
            "response": without_parts(shown_response(response)) or "(empty)",
        },
    )
    return [{"role": "system", "content": JUDGE["system"]}, {"role": "user", "content": EXAMPLES + instance}]


def verdict_schema(offered: Sequence[Verdict]) -> dict[str, Any]:
    """The `response_format` that requests a comment and one of the offered verdicts, under the names in the prompt;
    `verdict_readers` reads such a reply. The comment comes first: the verdict follows from it.
    """
    schema = {
        "type": "object",
        "properties": {
            "comment": {"type": "string"},
            "evaluation": {"type": "string", "enum": [verdict.label.lower() for verdict in offered]},
        },
        "required": ["comment", "evaluation"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "evaluation", "strict": True, "schema": schema}}


def example_text(number: int, example: dict[str, str]) -> str:
    return render(JUDGE["example_heading"], {"n": str(number)}) + render(JUDGE["example_form"], example)


EXAMPLES = "Examples\n\n{}{}Testing instance\n\n".format(
    JUDGE["example_separator"].join(example_text(n, example) for n, example in enumerate(JUDGE["examples"], start=1)),
    JUDGE["example_separator"],
)


def without_parts(text: str) -> str:
    """`text` with every name that could pass for a part of the prompt in quotation marks; other lines unchanged."""
    return "".join(quote_names(line) for line in text.splitlines(keepends=True))


def quote_names(line: str) -> str:
    # Full-width letters and zero-width characters are folded first, so that they cannot hide a name.
    folded = unicodedata.normalize("NFKC", line).translate(INVISIBLE)
    quoted = EVALUATION.sub(r'"\g<0>"', PART.sub(r'\1"\2"', folded))
    return quoted if quoted != folded else line
