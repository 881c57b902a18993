"""Finds deceptive user names: “аdmin” with a Cyrillic а is not “admin”, but looks exactly like it."""

import unicodedata

# Scripts that are written together, and characters common to all scripts. Python knows a letter's script only from
# its name.
TOGETHER = [
    {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC"},
    {"CJK", "HANGUL"},
    {"CJK", "BOPOMOFO"},
]
# Small letters of other scripts that look like Latin ones: a name made of these alone passes for a Latin name.
LOOK_LATIN = set("асԁеһіјӏорԛѕԝхуѵ" + "αιοκνρυχ" + "օցհոսզ")  # Cyrillic, Greek, Armenian


def is_deceptive(name: str) -> bool:
    """Return whether a user name mixes scripts, or is in another script but looks Latin."""
    letters = [letter for letter in unicodedata.normalize("NFKC", name).lower() if letter.isalpha()]
    scripts = {_script(letter) for letter in letters}
    if len(scripts) > 1:
        return not any(scripts <= family for family in TOGETHER)
    return bool(letters) and set(letters) <= LOOK_LATIN


def _script(letter: str) -> str:
    return unicodedata.name(letter, "UNKNOWN").split()[0]
