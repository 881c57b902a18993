"""Words that the project gave up for one word each, and where they still stand."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class GivenUp(NamedTuple):
    """A word that is given up: `part` stands in each of its forms, so that other lines need no closer look."""

    part: str
    forms: str
    instead: str


GIVEN_UP = (
    GivenUp("look", r"second[ _-]?looks?", "annotation review"),
    GivenUp("park", r"(un)?park(s|ed|ing)?", "flag, flagged; waiting for an answer"),
    GivenUp(
        "back",
        r"(give|gives|gave|given|giving)([ _-](it|them|its|the|a|this)([ _-][a-z]+)?)?[ _-]back",
        "hand back, return",
    ),
    GivenUp("place", r"places?", "assignment, slot, nav item; passage, section, offset, location, checkpoint"),
    GivenUp("settl", r"settl(e|es|ed|ing|ement|ements)", "adjudicate, final verdict; decide, finish"),
    GivenUp("draft", r"(machine|model)[ _-]?drafts?", "suggestion by a model"),
    GivenUp("draft", r"draft(s|ed|ing)?[ _-]by[ _-]a[ _-](language[ _-])?model", "suggestion by a model"),
    GivenUp("conflict", r"resolv(e|es|ed|ing)[ _-](the[ _-])?conflicts?", "resolved passages"),
    GivenUp("publishing", r"publishing", "import, export, release"),
    GivenUp("hand", r"hand(s|ed|ing)?[ _-]?(it|them)?[ _-]?in", "submit"),
    GivenUp("job", r"jobs?", "run, call"),
    GivenUp("body", r"somebody|anybody", "annotator, reviewer, worker ...: who it is"),
    GivenUp("someone", r"someone[ _-]else's", "another person's"),
)
# Where such a word is not ours to change, or names none of our things.
ALLOWED = {
    r"\bin place of\b": "instead of",
    r"\bdecimal_places\b": "an option of Django's fields",
    r"\bhtmx:afterSettle\b": "an event of htmx",
    r"[\"`](settled_at|settled)[\"`]": "columns and keys of exported files, which stay",
    r"[\"`]machine_drafts[\"`]": "a key of an exported file, which stays",
    r"/hand-in/|SUBMITTED = \"handed_in\"": "addresses and a code of the log, which people and programs know",
    r"\brunJobs\.php\b": "a script of MediaWiki",
    r"\b(worker jobs?|jobs? of the worker)\b": "Celery's tasks",
    r"place of birth|part\|place\|version|date\|place\|location": "English that the rules look for in texts",
}
# The changelog tells what a thing was called before, so it is not read.
FOLDERS = (
    "core", "annotation", "judging", "review", "benchmarks", "config", "templates", "static", "docs", "speed",
    "tests", ".ci",
)  # fmt: skip
SINGLE_FILES = ("README.md", "CONTRIBUTING.md", "Makefile", "Dockerfile", "docker-compose.yml", "pyproject.toml")
ENDINGS = {"", ".py", ".html", ".js", ".mjs", ".css", ".md", ".txt", ".sh"}
LEFT_OUT = {
    "static/vendor": "other people's code",
    "tests/browser/vendor": "other people's code",
    "tests/mediawiki/articles": "texts as a wiki has them",
    "annotation/assisting/reference_words.py": "a list of English words",
    "annotation/taxonomy.py": "the paper's option strings",
    "tests/words.py": "names the words",
    "tests/test_words.py": "names the words",
}
PARTS = {word.part for word in GIVEN_UP}
FORMS = re.compile(rf"(?<![a-z])(?:{'|'.join(word.forms for word in GIVEN_UP)})(?![a-z])", re.IGNORECASE)
_ALLOWED = re.compile("|".join(ALLOWED), re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def given_up_words(line: str) -> list[str]:
    """The words in a line that were given up; names are read in pieces."""
    lower = line.lower()
    if not any(part in lower for part in PARTS):
        return []
    return [match[0] for match in FORMS.finditer(in_pieces(_ALLOWED.sub(" ", line)))]


def in_pieces(text: str) -> str:
    """`placesOf`, `secondLook`, `HTMLPlace` as `places_Of`, `second_Look`, `HTML_Place`."""
    return _CAMEL.sub("_", text)


def lines_with_given_up_words(root: Path = ROOT) -> list[str]:
    """Each as "file:line: word", for every file name, line of code, page and docs in which such a word stands.

    Code is read whole: names, texts and comments, and with models, migrations and addresses what these are called.
    """
    found = []
    for path in project_files(root):
        name = str(path.relative_to(root))
        found += [f"{name}: {word}" for word in given_up_words(name)]
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            found += [f"{name}:{number}: {word}" for word in given_up_words(line)]
    return found


def project_files(root: Path = ROOT) -> list[Path]:
    """The text files of the project."""
    files = [root / name for name in SINGLE_FILES if (root / name).exists()]
    for folder in FOLDERS:
        files += [path for path in sorted((root / folder).rglob("*")) if path.suffix in ENDINGS and path.is_file()]
    return [path for path in files if not str(path.relative_to(root)).startswith(tuple(LEFT_OUT))]
