"""No key of the desk does two things, and the list of shortcuts names each that has a letter."""

import re

from .structure import ROOT

SCRIPTS = [*sorted((ROOT / "static/scripts/desk").glob("*.js")), ROOT / "static/scripts/comments.js"]
LISTS = [ROOT / "templates/annotation" / name for name in ("_desk_keys.html", "_model_suggestion_keys.html")]


def letters_in_scripts() -> list[str]:
    """The letters that act with Alt, once for each script that acts on them."""
    return sorted(letter for path in SCRIPTS for letter in set(re.findall(r"\bKey([A-Z])\b", path.read_text())))


def test_each_letter_acts_in_one_script():
    letters = letters_in_scripts()
    assert letters == sorted(set(letters))


def test_each_letter_is_listed_once():
    listed = [letter for path in LISTS for letter in re.findall(r"<kbd>Alt ([A-Z])</kbd>", path.read_text())]
    assert sorted(listed) == letters_in_scripts()
