"""Words that the project gave up for one word each, and where they still stand."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]

# What is given up, and what is said instead.
GIVEN_UP = {
    r"second[ _-]?looks?": "annotation review",
    r"(un)?park(s|ed|ing)?": "flag, flagged; waiting for an answer",
    r"(give|gives|gave|given|giving)[ _-]back": "hand back, of an assignment or a slot; return, of a function",
    r"places?": "assignment, slot, nav item; passage, section, offset, location, checkpoint",
    r"settl(e|es|ed|ing|ement|ements)": "adjudicate, final verdict; decide, finish",
    r"(machine|model)[ _-]?drafts?": "suggestion by a model",
    r"draft(s|ed|ing)?[ _-]by[ _-]a[ _-](language[ _-])?model": "suggestion by a model",
    r"resolv(e|es|ed|ing)[ _-](the[ _-])?conflicts?": "resolved passages",
    r"publishing": "import, export, release",
    r"jobs?": "run, call",
    r"somebody|anybody|someone[ _-]else's": "annotator, reviewer, worker ...: who it is",
}
# Where such a word is not ours to change, or names none of our things.
ALLOWED = {
    r"\bin place of\b": "instead of",
    r"\bdecimal_places\b": "an option of Django's fields",
    r"\bhtmx:afterSettle\b": "an event of htmx",
    r"\"(settled_at|settled)\"": "columns and keys of exported files, which stay",
    r"[\"`]machine_drafts[\"`]": "a key of an exported file, which stays",
    r"\brunJobs\.php\b": "a script of MediaWiki",
    r"place of birth|part\|place\|version|date\|place\|location": "English that the rules look for in texts",
}
FOLDERS = (
    "core", "annotation", "judging", "review", "config", "templates", "static", "docs", "benchmarks", "tests", ".ci",
)  # fmt: skip
SINGLE_FILES = ("README.md", "CONTRIBUTING.md", "Makefile", "Dockerfile", "docker-compose.yml", "pyproject.toml")
ENDINGS = {"", ".py", ".html", ".js", ".css", ".md", ".txt", ".sh"}
LEFT_OUT = {
    "static/vendor": "other people's code",
    "tests/browser/vendor": "other people's code",
    "tests/mediawiki/articles": "texts as a wiki has them",
    "annotation/assisting/reference_words.py": "a list of English words",
    "annotation/taxonomy.py": "the paper's option strings",
    "tests/words.py": "names the words",
    "tests/test_words.py": "names the words",
}
WORD = re.compile(rf"(?<![a-z])(?:{'|'.join(GIVEN_UP)})(?![a-z])", re.IGNORECASE)
_ANY = re.compile("|".join(GIVEN_UP), re.IGNORECASE)
_ALLOWED = re.compile("|".join(ALLOWED), re.IGNORECASE)
# `placesOf`, `secondLook`, `HTMLPlace`: pieces of names, told apart by their capitals.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def given_up_words(text: str) -> list[tuple[int, str]]:
    """Line and word of all in this text that were given up; names are read in pieces."""
    if not _ANY.search(text):
        return []
    pieces = _CAMEL.sub("_", _ALLOWED.sub(" ", text))
    return [(pieces.count("\n", 0, match.start()) + 1, match[0]) for match in WORD.finditer(pieces)]


def lines_with_given_up_words(root: Path = ROOT) -> list[str]:
    """Each as "file:line: word", for every file name, line of code, page and docs in which such a word stands.

    Code is read whole: names, texts and comments, and with models, migrations and addresses what these are called.
    """
    found = []
    for path in project_files(root):
        name = str(path.relative_to(root))
        found += [f"{name}: {word}" for _, word in given_up_words(name)]
        found += [f"{name}:{line}: {word}" for line, word in given_up_words(path.read_text())]
    return found


def project_files(root: Path = ROOT) -> list[Path]:
    """What is written for the project, as text."""
    files = [root / name for name in SINGLE_FILES if (root / name).exists()]
    for folder in FOLDERS:
        files += [path for path in sorted((root / folder).rglob("*")) if path.suffix in ENDINGS and path.is_file()]
    return [path for path in files if not str(path.relative_to(root)).startswith(tuple(LEFT_OUT))]
