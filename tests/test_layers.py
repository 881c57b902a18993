"""Imports run downhill: review -> judging -> annotation -> core, inside an app too, doors -> rules -> models."""

import ast
import re
from collections import Counter

import pytest

from .structure import (
    APPS,
    ORDER,
    ROOT,
    folder_of,
    imported_modules,
    imports_against_the_order,
    imports_upwards,
    module_name,
    nodes_naming,
    package_of,
    packages_without_order,
    source_files,
)

DOORS = {"views", "tasks", "management", "urls", "admin", "api"}
MOST_FILES_IN_A_FOLDER = 12
MOST_FILES_IN_A_PACKAGE = 14
# Text in, text out: these can be tested without a database, and imported by a process that has none.
PURE_PACKAGES = (
    "annotation/assisting/counterparts",
    "annotation/assisting/untagged",
    "annotation/wikitext",
    "annotation/reading",
    "judging/protocol",
    "judging/endpoints",
    "benchmarks/wikicontradict/protocol",
    "review/statistics",
)
PURE_MODULES = (
    "annotation/assisting/clashes.py",
    "annotation/assisting/drafts.py",
    "annotation/assisting/reference_words.py",
    "annotation/assisting/references.py",
    "annotation/assisting/suggestions.py",
    "annotation/assisting/values.py",
    "annotation/content/checks.py",
    "annotation/content/fields.py",
    "annotation/content/instances.py",
    "annotation/content/marking.py",
    "annotation/content/paper_record.py",
    "annotation/content/word_changes.py",
    "annotation/evidence/same_tag.py",
    "annotation/evidence/tag_history.py",
    "annotation/harvesting/dumps/dump.py",
    "annotation/harvesting/dumps/dump_damage.py",
    "annotation/harvesting/dumps/dump_parser.py",
    "annotation/harvesting/matching.py",
    "annotation/taxonomy.py",
    "core/hosts.py",
    "review/reports/drawing/plots.py",
)
PURE = [
    *(path for package in PURE_PACKAGES for path in sorted((ROOT / package).rglob("*.py"))),
    *(ROOT / name for name in PURE_MODULES),
]


def is_of_a_benchmark(module: str) -> bool:
    """Return whether this is the tasks that a benchmark asks models, and not those of the worker."""
    return module.startswith("benchmarks.") and package_of(module) == "tasks"


def test_an_app_imports_only_itself_and_those_below():
    assert not [str(each) for each in imports_upwards()]


def test_packages_of_an_app_import_only_those_below_them():
    assert not [str(each) for each in imports_against_the_order()]


def test_every_package_is_in_the_order():
    assert not packages_without_order()


@pytest.mark.parametrize("app", APPS)
def test_rules_and_models_do_not_import_doors(app):
    wrong = set()
    for path in source_files(app):
        # apps.py is neither: it tells the apps below what this one offers, a door among it.
        if (DOORS | {"apps"}) & set(path.relative_to(folder_of(app)).with_suffix("").parts):
            continue
        for name in imported_modules(path):
            if package_of(name) in DOORS and not is_of_a_benchmark(name):
                wrong.add(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


@pytest.mark.parametrize("path", PURE, ids=module_name)
def test_text_and_number_modules_import_no_models(path):
    assert not {module for module in imported_modules(path) if ".models" in module}


@pytest.mark.parametrize("app", APPS)
def test_few_files_lie_flat_in_an_app(app):
    flat = [path.name for path in folder_of(app).glob("*.py")]
    assert len(flat) <= MOST_FILES_IN_A_FOLDER, flat


def test_few_files_lie_in_a_package():
    """Larger packages get subfolders named by subject, those of tests and measurements too. `__init__.py` does not
    count."""
    beside = [path for folder in ("tests", "speed", "config", "docs") for path in (ROOT / folder).rglob("*.py")]
    sizes = Counter(
        str(path.parent.relative_to(ROOT)) for path in source_files() + beside if path.name != "__init__.py"
    )
    assert not {package: size for package, size in sizes.items() if size > MOST_FILES_IN_A_PACKAGE}


@pytest.mark.parametrize("app", APPS)
def test_no_module_is_imported_by_a_string(app):
    """Late imports are registered: see `core.navigation` and the `apps.py` of each app."""
    by_string = {"import_module", "import_string", "__import__"}
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, node in nodes_naming(by_string, source_files(app))
        if isinstance(node, ast.Call)
        and (getattr(node.func, "id", "") in by_string or getattr(node.func, "attr", "") in by_string)
    ]
    assert not wrong


def test_the_apps_below_benchmarks_name_none_of_them():
    """Annotation's own item is the exception: its paper may be cited."""
    others = [
        app.split(".")[1] for app in APPS if app.startswith("benchmarks.") and not app.endswith("wikicontradict")
    ]
    names = re.compile("|".join(others), re.IGNORECASE)
    below = ("core", "annotation", "judging", "review")
    folders = [ROOT / part / app for part in ("", "templates") for app in below]
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    texts = {path: path.read_bytes().decode("utf-8", "replace") for path in paths if path.suffix != ".pyc"}
    assert len(texts) > 500
    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if names.search(text)] == []


def test_messages_are_sent_by_one_module():
    """A broker that is away must be no error; see `core/waking.py`."""
    sending = {"delay", "apply_async", "send_task"}
    senders = {
        str(path.relative_to(ROOT))
        for path, node in nodes_naming(sending, source_files())
        if isinstance(node, ast.Attribute) and node.attr in sending
    }
    assert senders == {"core/waking.py"}


def test_the_tables_of_packages_have_the_order_of_the_code():
    """In `docs/architecture.md`: "the packages of each app, lowest first"."""
    architecture = (ROOT / "docs" / "architecture.md").read_text()
    for app in APPS:
        table = architecture.split(f"\n| `{app.replace('.', '/')}/` | |\n")[1].split("\n\n")[0]
        first_cells = "".join(row.split(" | ")[0] for row in table.splitlines())
        named = [name.removesuffix(".py").rstrip("/") for name in re.findall(r"`(.+?)`", first_cells)]
        assert named == sorted(named, key=ORDER[app].split().index)
