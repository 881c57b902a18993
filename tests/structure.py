"""The structure of the project as its tests read it: files, imports, and packages in their order.

Nothing of the project is imported to find out: source is read as text.
"""

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
APPS = (
    "core",
    "annotation",
    "judging",
    "review",
    "benchmarks.wikicontradict",
    "benchmarks.contradoc",
    "benchmarks.conflictbank",
)

# An app's packages and single modules from the lowest up: each may import only those before it.
ORDER = {
    "core": "languages words refusals outside backoff killable engine schema lists hosts models writing files "
    "project notices navigation waking clearing background health keeping sealing webhooks seeing web accounts "
    "sign_in leaving activity api views urls templatetags management apps",
    "annotation": "taxonomy wikitext models content mediawiki reading assisting desk guideline reviewing mailing "
    "harvesting evidence finding tags kinds releases label_studio samples practice health nav_items finders "
    "first_page tasks views api urls templatetags management apps",
    "judging": "protocol endpoints models catalogue runs call_batches making responses harnesses files "
    "waking health nav_items finders first_page pair_fields model_form forms tasks views api urls templatetags "
    "management apps",
    "review": "models statistics rounds reports files kinds site nav_items finders first_page forms tasks views api "
    "urls templatetags management apps",
    "benchmarks.wikicontradict": "models items files protocol tasks resolved_passages sample_rounds demo "
    "questionnaires human_evaluation reports harnesses site nav_items forms views api urls management apps",
    "benchmarks.contradoc": "items content models readers maker making tasks files questionnaires reports release "
    "samples site nav_items finders forms views urls templatetags management apps",
    "benchmarks.conflictbank": "content items conditions choosing prompts models readers facts claims evidence files "
    "tasks questionnaires classifying release answers reports folders site nav_items views api urls management "
    "apps",
}


@dataclass(frozen=True, slots=True)
class Import:
    """One module importing another, both by their absolute names."""

    importer: str
    imported: str

    def __str__(self) -> str:
        return f"{self.importer} imports {self.imported}"


def folder_of(app: str) -> Path:
    return ROOT / app.replace(".", "/")


def app_of(module: str) -> str:
    """The app that a module belongs to; "" if it is the project's outside any app."""
    return next((app for app in APPS if f"{module}.".startswith(f"{app}.")), "")


def source_files(*apps: str) -> list[Path]:
    """The Python files of these apps (all by default), without migrations."""
    found = [path for app in apps or APPS for path in sorted(folder_of(app).rglob("*.py"))]
    return [path for path in found if "migrations" not in path.parts]


def nodes_naming(words: Collection[str], files: Iterable[Path]) -> Iterator[tuple[Path, ast.AST]]:
    """The parts of the code of those files in which one of these words stands."""
    for path in files:
        text = path.read_text()
        if any(word in text for word in words):
            yield from ((path, node) for node in ast.walk(ast.parse(text)))


def module_name(path: Path, root: Path = ROOT) -> str:
    parts = list(path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imported_modules(path: Path, root: Path = ROOT) -> frozenset[str]:
    """Absolute names of all project modules that a file imports, at any depth of its code; `root` is its checkout."""
    package = list(path.relative_to(root).with_suffix("").parts[:-1])
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {_narrowest(module, alias.name, root) for alias in node.names}
    return frozenset(name for name in found if app_of(name))


def _narrowest(module: str, name: str, root: Path) -> str:
    path = root / module.replace(".", "/") / name
    return f"{module}.{name}" if path.is_dir() or path.with_suffix(".py").exists() else module


def imports_upwards() -> list[Import]:
    """Imports of an app above the importing one."""
    return [each for each in _imports() if APPS.index(app_of(each.imported)) > APPS.index(app_of(each.importer))]


def imports_against_the_order() -> list[Import]:
    """Imports inside an app of a package that comes after the importing one in `ORDER`."""
    found = []
    for each in _imports():
        app = app_of(each.importer)
        if app_of(each.imported) != app or app in (each.importer, each.imported):
            continue
        order = ORDER[app].split()
        if order.index(package_of(each.imported)) > order.index(package_of(each.importer)):
            found.append(each)
    return found


def _imports() -> Iterator[Import]:
    for path in source_files():
        for name in sorted(imported_modules(path)):
            yield Import(module_name(path), name)


def package_of(module: str) -> str:
    """The package or single module directly below its app that a module belongs to."""
    return module.removeprefix(f"{app_of(module)}.").split(".")[0]


def packages_without_order() -> list[str]:
    """Packages and modules directly below an app that `ORDER` does not name, and names in it that are none."""
    wrong = []
    for app in APPS:
        there = {package_of(module_name(path)) for path in source_files(app) if module_name(path) != app}
        wrong += [f"{app}.{name}" for name in sorted(there ^ set(ORDER[app].split()))]
    return wrong
