"""Puts a row of an infobox or table, as it was taken from the article, into a sentence about the article's subject:
`Founded: 1721` becomes "Port Averil was founded in 1721." Only for labels that a rule knows. Text in, text out.
"""

import re

from .reference_words import DONE, MEASURES, OCCURRED

# In words: a longer value mostly is a sentence already, or a list.
_LONGEST_VALUE = 12
_ROW = re.compile(r"(?P<label>[A-Z][^\W\d_]+(?: [a-z][\w-]*){0,3})(?::\s*|\s*\t\s*)(?P<value>\S[^\n]*)")
# Without a colon, as typed or pasted: a label of one word before a date.
_DATED = re.compile(r"(?P<label>[A-Z][a-z]+)\s+(?P<value>(?:c\. ?)?\d[^\n]*|[A-Z][a-z]+ \d[^\n]*)")
_DAY = re.compile(r"(?:\d{1,2} [A-Z][a-z]+|[A-Z][a-z]+ \d{1,2}\b(?!\d))")
_TIME = re.compile(r"(?:c\. ?)?(?:[A-Z][a-z]+ )?\d{3,4}\b|\d{1,2}(?:st|nd|rd|th) century")


def in_words(text: str, name: str) -> str:
    """The row as a sentence about `name`; "" where the text is no row, or no rule knows its label."""
    text = text.strip()
    row = _ROW.fullmatch(text) or _DATED.fullmatch(text)
    if not row or not name or text.endswith(".") or len(row["value"].split()) > _LONGEST_VALUE:
        return ""
    label, value = row["label"], row["value"].strip()
    said = _happened(label.lower(), value, name) or _counted(label, value, name) or _has(label, value, name)
    return re.sub(r"\s+", " ", said)


def _happened(label: str, value: str, name: str) -> str:
    when = "on" if _DAY.match(value) else "in" if _TIME.match(value) else ""
    if not when or label not in OCCURRED | DONE:
        return ""
    return f"{name} {label} {when} {value}." if label in OCCURRED else f"{name} was {label} {when} {value}."


def _counted(label: str, value: str, name: str) -> str:
    is_several = " " not in label and label.endswith("s") and not label.endswith(("ss", "us", "is"))
    return f"{name} has {value} {label.lower()}." if is_several and re.fullmatch(r"\d[\d,]*", value) else ""


def _has(label: str, value: str, name: str) -> str:
    words = label.lower().split()
    if words[-1] not in MEASURES and words[0] not in MEASURES:
        return ""
    return f"The {' '.join(words)} of {name} is {value}."
