"""User names that look like other ones: “аdmin” with a Cyrillic а is not “admin”, and nobody can see it."""

import unicodedata

# Scripts that are written together, and what belongs to all scripts. Python knows a letter's script by its name only.
TOGETHER = [
    {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"},
    {"CJK", "HANGUL"},
    {"CJK", "BOPOMOFO"},
]
# Small letters of other scripts that look like Latin ones: a name of nothing else is taken for a Latin name.
LOOK_LATIN = set("асԁеһіјӏорԛѕԝхуѵ" + "αιοκνρυχ" + "օցհոսզ")  # Cyrillic, Greek, Armenian


def is_deceptive(name: str) -> bool:
    """Whether a user name mixes scripts, or is of another script but looks like Latin."""
    letters = [letter for letter in unicodedata.normalize("NFKC", name).lower() if letter.isalpha()]
    scripts = {_script(letter) for letter in letters}
    if len(scripts) > 1:
        return not any(scripts <= family for family in TOGETHER)
    return bool(letters) and set(letters) <= LOOK_LATIN


def _script(letter: str) -> str:
    return unicodedata.name(letter, "UNKNOWN").split()[0]
