"""The three families of contradiction templates, with every known spelling of their names.

These are the spellings to start with. A harvest asks the wiki for further redirects and passes the larger table to
`wikitext.find_tags`.
"""

import html
import re
from functools import lru_cache

INCONSISTENT = "inconsistent"
SELF_CONTRADICTORY = "self-contradictory"
CONTRADICT_OTHER = "contradict-other"

# The first spelling of each list is the title of the template, the others are redirects to it.
# Self-contradictory statements have two templates: one stands within the text, one is a banner.
SPELLINGS: dict[str, tuple[tuple[str, ...], ...]] = {
    INCONSISTENT: (
        ("Inconsistent", "Inconsistency", "Inconsistent inline", "Inconsistent-inline", "Internally inconsistent"),
    ),
    SELF_CONTRADICTORY: (
        (
            "Contradictory inline",
            "Contradictory-inline",
            "Contradict inline",
            "Contradict-inline",
            "Contradiction inline",
            "Contradiction-inline",
            "Contradicts inline",
            "Contradicts-inline",
            "Self-contradictory inline",
        ),
        (
            "Self-contradictory",
            "Self contradictory",
            "Self-contradict",
            "Self-contradiction",
            "Contradict",
            "Contradict self",
            "Contradiction",
            "Contradictory",
            "Contradicts",
            "Contradicts self",
        ),
    ),
    CONTRADICT_OTHER: (
        (
            "Contradicts other",
            "Contradicts-other",
            "Contradicts others",
            "Contradicts another",
            "Contradict other",
            "Contradict-other",
            "Contradict-others",
        ),
    ),
}

FAMILIES: dict[str, str] = {
    name: family for family, templates in SPELLINGS.items() for names in templates for name in names
}

COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# MediaWiki drops direction marks from titles, and treats each of these separators as a blank.
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e]")
_BLANKS = re.compile("[\\s_\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_NAMESPACE = re.compile(r"(?::\s*)?template\s*:\s*", re.IGNORECASE)


_LONGEST_KEPT = 100  # characters


def normalise_name(written: str) -> str:
    """The name of a template as MediaWiki resolves it: `template:contradict_inline ` -> `Contradict inline`.

    Comments are dropped, runs of blanks and underscores become one blank, and the first letter (only that) is
    made upper case.
    """
    # Most templates of a page are a few that thousands of pages have.
    return _kept_name(written) if len(written) <= _LONGEST_KEPT else _normalised(written)


def _normalised(written: str) -> str:
    name = _DIRECTION_MARKS.sub("", html.unescape(COMMENT.sub("", written)))
    name = _BLANKS.sub(" ", name).strip()
    name = _NAMESPACE.sub("", name, count=1) if _NAMESPACE.match(name) else name
    name = name.partition("#")[0].rstrip()
    return name[:1].upper() + name[1:]


_kept_name = lru_cache(maxsize=2_000)(_normalised)
