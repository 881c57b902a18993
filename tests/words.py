"""Words that the project gave up for one word each, and where they still stand."""

import re
from pathlib import Path

# What is given up, and the word that stands for it now. Identifiers are read in pieces: `park_place` is found.
GIVEN_UP = {
    r"second[ _-]?looks?": "annotation review",
    r"secondlooks?": "annotation review",
    r"park(s|ed|ing)?": "flag; wait for an answer",
    r"unpark(s|ed)?": "resume",
    r"(give|gives|gave|given|giving)[ _-]back": "hand back",
    r"places?": "assignment, slot, nav item, passage, section, offset",
    r"settl(e|es|ed|ing|ement|ements)": "adjudicate, final verdict",
    r"machine[ _-]?drafts?": "suggestion by a model",
    r"draft(s|ed|ing)?[ _-]by[ _-]a[ _-](language[ _-])?model": "suggestion by a model",
    r"somebody|someone[ _-]else's|anybody": "who it is, by role",
}
WORD = re.compile(
    r"(?<![a-z])(?:" + "|".join(GIVEN_UP) + r")(?![a-z])",
    re.IGNORECASE,
)
# Other people's words: CSS properties, the paper's texts, and lists of English words are not ours.
EXCEPTIONS = re.compile(
    r"placeholders?|replace\w*|place-(items|content|self)|in place of|take the place|takes? place|\bworkplace\b"
    # Django's option; words that the baseline judge looks for; columns and keys of exported files.
    r"|decimal_places|part\|place\|version|^    \"settled_at\",$|\"settled_at\": final|\"settled\": each",
    re.IGNORECASE,
)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
FOLDERS = ("core", "annotation", "judging", "review", "config", "templates", "static", "docs", "benchmarks")
ENDINGS = (".py", ".html", ".js", ".css", ".md", ".txt")
LEFT_ALONE = ("migrations", "vendor", "protocol", "samples")
# Lists of English words, as data.
DATA = ("annotation/assisting/reference_words.py", "annotation/assisting/references.py", "annotation/taxonomy.py")


def lines_with_given_up_words(root: Path) -> list[str]:
    """Each as "file:line: word" for every line of code, pages and docs in which a word stands that was given up."""
    found = []
    for path in _files(root):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            text = CAMEL.sub("_", EXCEPTIONS.sub("", line))
            if match := WORD.search(text):
                found.append(f"{path.relative_to(root)}:{number}: {match[0]}")
    return found


def _files(root: Path) -> list[Path]:
    files = [root / "README.md"]
    for folder in FOLDERS:
        files += [path for path in sorted((root / folder).rglob("*")) if path.suffix in ENDINGS]
    return [
        path
        for path in files
        if not set(LEFT_ALONE) & set(path.relative_to(root).parts) and str(path.relative_to(root)) not in DATA
    ]
