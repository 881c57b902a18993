"""Measures the project's structure: size of files and functions, imports against the direction, repeated code.

    python -m speed.structure [--root FOLDER] [--json]

`--root` reads another checkout, for example of an earlier commit. `--venv FOLDER` adds the size of the packages
installed there, in megabytes. The run time of the tests is not measured here.
"""

import argparse
import ast
import json
import re
import statistics
import tomllib
from collections import defaultdict
from itertools import combinations
from pathlib import Path

from tests.structure import APPS, imported_modules, module_name

WINDOW = 6  # this many equal lines are a repetition
TOO_COMMON = 8


def python_files(root: Path, *folders: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    return [path for path in found if "migrations" not in path.parts]


def spread(numbers: list[int]) -> dict[str, int]:
    """Median, 95th percentile and largest of `numbers`."""
    ordered = sorted(numbers) or [0]
    last = len(ordered) - 1
    return {"median": int(statistics.median(ordered)), "p95": ordered[round(last * 0.95)], "longest": ordered[-1]}


def function_lengths(paths: list[Path]) -> list[int]:
    """Physical lines of every function, without its decorators."""
    return [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def line_count(path: Path) -> int:
    return len(path.read_text().splitlines())


def imports(root: Path) -> list[tuple[str, str]]:
    """Pairs of importing and imported module, both absolute, of the apps."""
    return [
        (module_name(path, root), imported)
        for path in python_files(root, *APPS)
        for imported in imported_modules(path, root)
    ]


def upward_imports(root: Path) -> int:
    """Imports of an app above the importing one."""
    return sum(APPS.index(to.split(".")[0]) > APPS.index(name.split(".")[0]) for name, to in imports(root))


def package_cycles(root: Path) -> int:
    """Pairs of packages (or modules) directly below one app that import each other, also indirectly."""
    edges: dict[str, set[str]] = defaultdict(set)
    for name, to in imports(root):
        one, other = name.split(".")[:2], to.split(".")[:2]
        if len(one) == len(other) == 2 and one[0] == other[0] and one != other:
            edges[".".join(one)].add(".".join(other))
    reach = {start: _reached(start, edges) for start in list(edges)}
    return sum(b in reach.get(a, ()) and a in reach.get(b, ()) for a, b in combinations(sorted(reach), 2))


def _reached(start: str, edges: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    left = [start]
    while left:
        for following in edges.get(left.pop(), ()):
            if following not in seen:
                seen.add(following)
                left.append(following)
    return seen


def repeated(root: Path) -> int:
    """Pairs of runs of at least `WINDOW` identical lines, in different files or apart in one."""
    stretches: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for path in [*python_files(root, *APPS), *sorted((root / "static").glob("**/*.js"))]:
        if "vendor" in path.parts:
            continue
        lines = [" ".join(line.split()) for line in path.read_text().splitlines()]
        lines = [
            line for line in lines if re.search(r"\w{3}", line) and not line.startswith(("import ", "from ", "#"))
        ]
        for at in range(len(lines) - WINDOW + 1):
            stretches[tuple(lines[at : at + WINDOW])].append((str(path), at))
    runs: set[tuple[str, str, int]] = set()
    for found in stretches.values():
        if 1 < len(found) <= TOO_COMMON:
            # Windows of one run are at the same distance, and count once.
            runs |= {(a[0], b[0], b[1] - a[1]) for a, b in combinations(found, 2)}
    return len(runs)


def given_up_words(root: Path) -> int:
    """Lines with a word that this checkout's `tests/words.py` lists as given up."""
    from tests.words import lines_with_given_up_words

    return len(lines_with_given_up_words(root))


def runtime_packages(root: Path) -> int:
    """Packages in the lock file that `make run` installs for the program alone."""
    return len(re.findall(r"^[a-z0-9][\w.\[\]-]*==", (root / "requirements.lock").read_text(), re.M | re.I))


def megabytes(folder: Path) -> int:
    return round(sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6)


def measure(root: Path, venv: Path | None) -> dict[str, object]:
    source = python_files(root, *APPS, "config")
    tests = python_files(root, "tests")
    declared = tomllib.loads((root / "pyproject.toml").read_text())["project"]["dependencies"]
    figures: dict[str, object] = {
        "source lines": sum(map(line_count, source)),
        "source files": len(source),
        "file lines": spread([line_count(path) for path in source]),
        "functions": len(function_lengths(source)),
        "function lines": spread(function_lengths(source)),
        "test lines": sum(map(line_count, tests)),
        "script lines": sum(map(line_count, (root / "static" / "scripts").glob("**/*.js"))),
        "imports of a higher app": upward_imports(root),
        "package pairs that reach each other": package_cycles(root),
        "files flat in an app": {app: len(list((root / app).glob("*.py"))) for app in APPS if (root / app).exists()},
        "repeated runs of 6 lines": repeated(root),
        "lines with words given up": given_up_words(root),
        "packages declared": len(declared),
        "packages locked for running": runtime_packages(root),
    }
    if venv:
        figures["megabytes installed"] = megabytes(venv)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--venv", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.root, options.venv)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        shown = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        print(f"{name:36} {shown}")


if __name__ == "__main__":
    main()
