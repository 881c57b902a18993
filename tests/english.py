"""Awkward English that the project gave up, and where it still stands."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

from .words import ROOT, project_files

# A docstring begins with a noun or a verb, not with a relative clause.
CLAUSES = re.compile(r"(What|Those|Of what|One that|That which|Whether|Which|Who|Where|How|Whose)\b")


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
)
_AWKWARD = re.compile(rf"\b(?:{'|'.join(each.pattern for each in AWKWARD)})\b", re.IGNORECASE)
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


def awkward_lines(root: Path = ROOT) -> list[str]:
    """Lines of code, pages and docs with an awkward expression, each as "file:line: expression"."""
    found = []
    for path in project_files(root):
        name = str(path.relative_to(root))
        if name in LEFT_OUT:
            continue
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            found += [f"{name}:{number}: {match[0]}" for match in _AWKWARD.finditer(line)]
    return found
