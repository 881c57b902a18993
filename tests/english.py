"""Awkward English that the project gave up, and where it still stands."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

from .words import ROOT, project_files

# A docstring begins with a noun or a verb, not with a relative clause.
CLAUSES = re.compile(r"(What|Those|Of what|One that|That which|Whether|Which|Who|Where|How|Whose)\b")
# So does a comment: of Python, of a template, and of a script. A comment may say whether, where or how.
COMMENTS = {
    ".py": re.compile(r"\s*# (?=(?:What|Those|Of what|One that|That which|Which|Whose)\b)"),
    ".html": re.compile(r"\s*\{# ?(?=(?:What|Those|Of what|One that|That which|Which|Who|Whose|How)\b)"),
    ".js": re.compile(
        r"\s*(?://|/\*\*|\*) (?=(?:What|Those|Of what|One that|That which|Which|Who|Whose|How (?:many|much|far))\b)"
    ),
}


class Awkward(NamedTuple):
    """An expression that nobody would say aloud to a colleague."""

    pattern: str
    instead: str


AWKWARD = (
    Awkward(r"so many(?! that\b)", "this many, a number of, a maximum of"),
    Awkward(
        r"(requests|tokens|calls|pages|pairs|verdicts|saves|messages|letters) an? (second|minute|hour|day)",
        "per second, per minute ...",
    ),
    Awkward(r"(what|nothing|whatever) (came|comes) of (it|them|a|the|this|these|that)", "outcome, result"),
    Awkward(r"once more(?!=)", "again"),
    Awkward(r"as things stand( now)?", "current"),
    Awkward(r"hangs? together", "are correlated"),
    Awkward(r"looked after by", "enforced by"),
    Awkward(r"at its source", "on the wiki it comes from"),
    Awkward(r"further articles", "more articles"),
    Awkward(r"what is there", "the existing rows"),
    Awkward(r"leaves? nothing half(?! done\b)", "leaves nothing half done"),
    Awkward(r"(?<!for )any more", "no longer"),
    Awkward(r"(has|have) become of|what (became|becomes) of", "outcome, result, whether it still ..."),
    Awkward(r"on (its|their) way", "in progress, in flight, being sent, loading"),
    Awkward(r"blind to (one another|each other)", "independently of one another"),
    Awkward(r"without asking", "automatically"),
    Awkward(r"a second time", "again"),
    Awkward(r"is there (already(?!\.)|twice)", "is already stored, is a duplicate"),
    Awkward(r"one an? (line|row|day|question|document)", "one per line ..."),
    Awkward(r"once a process", "once per process"),
)
# Expressions that only pages and guides gave up.
ON_PAGES = (
    Awkward(r"(?<![-\w\"=.])ticked(?! %})(?![-\w\"=(|])", "selected"),
    Awkward(r"what you (typed|wrote|write|sent)(?! there)", "your text, your changes"),
    Awkward(r"(go|goes|going) on (to|with|without)", "continue"),
    Awkward(r"at most \d+ a (day|minute|second|hour)", "per day ..."),
    Awkward(r"\d %(?![}\w(])", "36.0%"),
)
_AWKWARD = re.compile(rf"\b(?:{'|'.join(each.pattern for each in AWKWARD)})\b", re.IGNORECASE)
_ON_PAGES = re.compile("|".join(each.pattern for each in ON_PAGES), re.IGNORECASE)
_PAGES = (".html", ".md")
# Files that quote such expressions.
LEFT_OUT = ("tests/english.py", "tests/test_words.py")


def docstrings_with_clauses(root: Path = ROOT) -> list[str]:
    """Docstrings that begin with a relative clause, each as "file:line: first line"."""
    found = []
    for path in project_files(root):
        if path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            text = ast.get_docstring(node) or ""
            if CLAUSES.match(text):
                line = getattr(node, "lineno", 1)
                found.append(f"{path.relative_to(root)}:{line}: {text.splitlines()[0]}")
    return found


def comments_with_clauses(root: Path = ROOT) -> list[str]:
    """Comments that begin with a relative clause, each as "file:line: comment"."""
    found = []
    for path in project_files(root):
        begin = COMMENTS.get(path.suffix)
        name = str(path.relative_to(root))
        if begin is None or "/migrations/" in name or name in LEFT_OUT:
            continue
        lines = enumerate(path.read_text().splitlines(), start=1)
        found += [f"{name}:{number}: {line.strip()}" for number, line in lines if begin.match(line)]
    return found


def awkward_lines(root: Path = ROOT) -> list[str]:
    """Lines of code, pages and docs with an awkward expression, each as "file:line: expression"."""
    found = []
    for path in project_files(root):
        name = str(path.relative_to(root))
        if name in LEFT_OUT or "/migrations/" in name:
            continue
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            found += [f"{name}:{number}: {match[0]}" for match in _AWKWARD.finditer(line)]
            if name.endswith(_PAGES):
                found += [f"{name}:{number}: {match[0]}" for match in _ON_PAGES.finditer(line)]
    return found
