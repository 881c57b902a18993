"""Imports run downhill: review -> judging -> annotation, and inside an app doors -> rules -> models."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# What an app may import besides itself.
BELOW = {"annotation": set(), "judging": {"annotation"}, "review": {"annotation", "judging"}}
DOORS = {"views", "tasks", "management", "urls", "admin", "api"}
# Text in, text out: these can be tested without a database, and imported by a process that has none.
PURE = [
    *(
        f"annotation/{package}/{name}.py"
        for package, names in {
            "wikitext": "__init__ extraction families inline_template_names inline_templates paragraphs plain_text "
            "tables tags tree",
            "harvesting": "dump matching",
            "evidence": "tag_history",
            "reading": "article_html page_size page_tree pages readable sanitise selection tagged_block",
            "desk": "checks content marking references suggestions word_changes",
            "publishing": "instances",
        }.items()
        for name in names.split()
    ),
    "annotation/hosts.py",
    "annotation/taxonomy.py",
    "judging/baselines.py",
    "judging/costs.py",
    "judging/endpoints.py",
    "judging/judge.py",
    "judging/llm.py",
    "judging/matching.py",
    "judging/prompts.py",
    "judging/replies.py",
    "judging/verdicts.py",
    "review/agreement.py",
    "review/alpha.py",
    "review/corrected_rates.py",
    "review/estimates.py",
    "review/plots.py",
    "review/rounding.py",
    "review/scores.py",
]


def imported_modules(path: Path) -> set[str]:
    """Absolute names of all project modules that a file imports, at any depth."""
    package = list(path.relative_to(ROOT).with_suffix("").parts[:-1])
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names} | {module}
    return {name for name in found if name.split(".")[0] in BELOW}


def source_files(app: str) -> list[Path]:
    return [path for path in sorted((ROOT / app).rglob("*.py")) if "migrations" not in path.parts]


@pytest.mark.parametrize("app", BELOW)
def test_an_app_imports_only_itself_and_those_below(app):
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in source_files(app)
        for name in imported_modules(path)
        if name.split(".")[0] not in BELOW[app] | {app}
    }
    assert not wrong


@pytest.mark.parametrize("app", BELOW)
def test_rules_and_models_do_not_import_doors(app):
    wrong = set()
    for path in source_files(app):
        # apps.py is neither: it tells the apps below what this one offers, a door among it.
        if (DOORS | {"apps"}) & set(path.relative_to(ROOT / app).with_suffix("").parts):
            continue
        for name in imported_modules(path):
            parts = name.split(".")
            if len(parts) > 1 and parts[1] in DOORS:
                wrong.add(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


@pytest.mark.parametrize("name", PURE)
def test_text_and_number_modules_import_no_models(name):
    assert not {module for module in imported_modules(ROOT / name) if ".models" in module}
