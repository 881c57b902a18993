"""README and docs are true: links, pictures, files, commands, settings, options."""

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError
from django.urls import get_resolver

from annotation.taxonomy import DIMENSIONS
from core.accounts.forms import ProjectForm
from docs import commands

from .structure import APPS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Held to name files that are there, too. The changelog tells what was, and is not.
NAMING_FILES = [*PAGES, ROOT / "CONTRIBUTING.md"]
# A recipe names files that are still to be written, or one for each step.
TO_BE_WRITTEN = re.compile(r"/your_\w+\.py$|_N\.html$|/yours/$")
OURS = {name for name, app in get_commands().items() if str(app) in {*APPS, "config"}}
# Read where a program is started, before there are settings.
READ_ELSEWHERE = {"HOST", "PORT"}
# Django's own that the pages speak of.
DJANGOS = {"migrate", "createsuperuser"}
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# A name in backticks that begins so is a file.
FOLDERS = (
    "core/",
    "annotation/",
    "judging/",
    "review/",
    "benchmarks/",
    "config/",
    "templates/",
    "static/",
    "tests/",
    "docs/",
    "speed/",
    ".ci/",
)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def everything() -> str:
    return "\n".join(page.read_text() for page in PAGES)


def anchor(heading: str) -> str:
    """The fragment by which GitHub and GitLab address a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def leads_somewhere(doc: Path, target: str) -> bool:
    if "://" in target:
        return True
    path, _, fragment = target.partition("#")
    file = doc.parent / path if path else doc
    if not fragment:
        return file.exists()
    return fragment in {anchor(heading) for heading in re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)}


@pytest.mark.parametrize("doc", NAMING_FILES, ids=name_of)
def test_every_relative_link_and_picture_leads_somewhere(doc):
    assert [target for target in LINK.findall(doc.read_text()) if not leads_somewhere(doc, target)] == []


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        targets = [target.partition("#")[0] for target in LINK.findall(page.read_text())]
        waiting += [(page.parent / target).resolve() for target in targets if target.endswith(".md")]
    assert {name_of(page) for page in PAGES} - {name_of(page) for page in reached} == set()


def test_every_picture_is_shown_on_a_page():
    shown = {Path(target).name for target in LINK.findall(everything()) if target.endswith(".png")}
    assert {path.name for path in (ROOT / "docs" / "images").glob("*.png")} - shown == set()


@pytest.mark.parametrize("doc", NAMING_FILES, ids=name_of)
def test_every_file_that_is_named_exists(doc):
    missing = []
    for code in CODE.findall(FENCE.sub("", doc.read_text())):
        name = code.removeprefix("./").split("::")[0]
        if TO_BE_WRITTEN.search(name):
            continue
        if name.startswith(FOLDERS) and re.fullmatch(r"[\w./-]+", name) and not (ROOT / name).exists():
            missing.append(name)
    assert missing == []


def test_every_command_that_is_named_exists():
    assert set(re.findall(r"manage\.py ([a-z_]+)", everything())) - OURS - DJANGOS == set()


def test_every_command_of_ours_is_named():
    assert OURS
    assert {name for name in OURS if f"manage.py {name}" not in everything()} == set()


def arguments_of(written: str) -> list[str]:
    """Of a command as a page writes it: `[FILE]` may be left out, of `a|b` one is chosen, N is a number."""
    words = shlex.split(re.sub(r"[\[\]]", "", written.replace(r"\|", "|").split(" | ")[0]))
    return ["1" if word == "N" else word.split("|")[0] for word in words if word != "..."]


def test_every_command_takes_the_arguments_that_the_pages_give_it():
    refused = {}
    pages = "\n".join(page.read_text() for page in PAGES if page != commands.PAGE).replace("\\\n", " ")
    for name, written in re.findall(r"manage\.py ([a-z_]+) +([^`\n#;&>]*[^`\n#;&> ])", pages):
        if name not in OURS:
            continue
        parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
        try:
            parser.parse_args(arguments_of(written))
        except CommandError as error:
            refused[f"{name} {written}"] = str(error)
    assert refused == {}


def test_the_page_of_commands_says_what_their_help_says():
    assert commands.PAGE.read_text() == commands.page(), "write it anew: python -m docs.commands"


def test_every_target_of_make_that_is_named_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^|name )make ([a-z]+)", everything(), re.MULTILINE)) - targets == set()


def test_every_line_of_the_threat_model_names_a_test_that_exists():
    lines = [line for line in (ROOT / "docs" / "security.md").read_text().splitlines() if line.startswith("| ")]
    rows = [line for line in lines if not line.endswith("| test |")]
    assert len(rows) > 20
    missing = []
    for row in rows:
        file, _, test = row.split("|")[3].strip().strip("`").partition("::")
        if not test or f"def {test}(" not in (ROOT / file).read_text():
            missing.append(row)
    assert missing == []


@pytest.mark.django_db
def test_every_setting_is_explained():
    settings = (ROOT / "config" / "settings.py").read_text()
    names = set(re.findall(r"""\benv(?:\.\w+)?\(\s*"([A-Z_]+)\"""", settings))
    assert names
    said = (ROOT / "docs" / "settings.md").read_text()
    assert {name for name in names if f"`{name}`" not in said} == set()
    cells = re.findall(r"^\| (`.+?) \|", said, re.MULTILINE)
    told = {name for cell in cells for name in re.findall(r"`([A-Z_]+)`", cell)}
    assert told - names - READ_ELSEWHERE == set(), "these are gone"
    shown = {str(field.label) for field in ProjectForm().fields.values()}
    assert shown == set(re.findall(r"^\| ([A-Z][^|`]+?) \|", said, re.MULTILINE))


def test_the_protocol_has_every_option_in_the_words_of_the_paper():
    protocol = (ROOT / "docs" / "protocol.md").read_text()
    absent = [
        option.display
        for dimension in DIMENSIONS
        for option in dimension.options
        if f"| {option.display} |" not in protocol
    ]
    assert absent == []


def test_every_address_that_is_named_exists():
    resolver = get_resolver()
    for address in re.findall(r"`/([a-z][\w/-]*/)`", everything()):
        assert resolver.resolve(f"/{address}")
