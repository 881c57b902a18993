"""Dates that a page gives for a property of its subject (born, opened, founded), in its infobox and in its sentences.
Text in, facts out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..values import DATE, values_in
from .pages import INFOBOX, LEAD, LightPage, is_tagged, readable

# Property: its verb, whether only a passive counts ("was founded": whoever founded something else is no subject),
# and the parameters of infoboxes.
PROPERTIES = {
    "born": ("born", False, ("birth_date", "birth_year")),
    "died": ("died", False, ("death_date", "death_year")),
    "opened": ("opened", False, ("opened", "opening_date", "open", "opening", "opened_date")),
    "founded": ("founded", True, ("founded", "foundation", "founded_date", "founding_date", "foundation_date")),
    "established": ("established", True, ("established", "established_date")),
    "formed": ("formed", True, ("formation", "formed")),
    "built": ("built", True, ("built", "year_built")),
    "completed": ("completed", True, ("completed", "completion_date", "complete", "completed_date")),
    "closed": ("closed", False, ("closed", "closing_date", "closed_date")),
    "demolished": ("demolished", True, ("demolished", "demolition_date", "destruction_date")),
    "launched": ("launched", True, ("ship_launched", "launched", "launch_date")),
    "released": ("released", True, ("released", "release_date")),
    "dissolved": ("dissolved", True, ("dissolved", "dissolution_date")),
}
_BEFORE, _AFTER, _LONGEST = 200, 60, 600
# Of a property, in one page: verbs looked at, and facts taken.
_MOST_LOOKS, _MOST_FACTS = 200, 20
_PASSIVE = re.compile(r"\b(?:was|were|been)(?: \w+ly| first| originally)?$")
_DATE_SOON = re.compile(r"[^.;:()\d]{0,50}?(?=\b\d)")
_RANGE = re.compile(r"\b(?:between|from|until|since|before|after|around|about|circa|by|late|early|mid)\b|\bc\.")
# The page itself says that it is not sure, or that it speaks of another event.
_UNSURE = re.compile(
    r"\b(?:disputed|according to|some sources|other sources|claimed?|reportedly|allegedly|possibly|probably|perhaps|"
    r"circa|unclear|uncertain|first|again|second|re-?\w+ed in)\b|\bc\. ?\d|\bor (?:in )?\d{4}",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?:he|she|it|they)\b", re.IGNORECASE)
_OPENING = re.compile(r"^(?:(?:on|in|by) [^,]{1,40}, )", re.IGNORECASE)
# Without capitals: "the old bridge" may be the subject, "the Mill Bridge" is another one.
_NOUN = re.compile(r"[Tt]he (?:[a-z-]+ ){0,2}?([a-z-]+)$")
_TEMPLATE_DATE = re.compile(
    r"\{\{[^{}|]*\b(?:date|da|dda|bda)\b[^{}|]*\|(?:[a-z]+=\w+\|)*\s*(\d{4})(?:\s*\|\s*(\d{1,2})\s*\|\s*(\d{1,2}))?",
    re.IGNORECASE,
)
_LIFE = re.compile(
    r"^[^()]{0,200}?\((?:[^()–;]{0,80}?; )?(?:born )?(?P<born>[^()–;]{4,40}?\d{4})"
    r"(?: ?[–-] ?(?P<died>[^()–;]{4,40}?\d{4}))?\)"
)
_SENTENCE_END = re.compile(r"(?<=[a-z\d)\]'\"”}])[.!?](?=\s+[A-Z'\[\"“({]|\s*$)|\n", re.MULTILINE)

Date = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A date for a property: `date` is (year, month, day) as text, `said` the words around it, `written` the date in
    them, `part` as in `pages.Line`."""

    name: str
    date: Date
    written: str
    said: str
    part: str


def facts_in(page: LightPage) -> list[Fact]:
    """The facts about the subject of a page, those of the infobox first."""
    return [*_facts_of_infobox(page), *_facts_of_text(page)]


# --- The infobox ------------------------------------------------------------------------------------------------


def _facts_of_infobox(page: LightPage) -> Iterator[Fact]:
    for name, (_, _, parameters) in PROPERTIES.items():
        for parameter in parameters:
            value = page.infobox.get(parameter)
            if value and not is_tagged(value) and (found := _only_date(value)):
                date, written = found
                yield Fact(name, date, written, f"{parameter.replace('_', ' ').capitalize()}: {written}", INFOBOX)
                break


def _only_date(value: str) -> tuple[Date, str] | None:
    """The date of a parameter, and how it reads; None if it has none, or several."""
    if found := _TEMPLATE_DATE.search(value):
        year, month, day = (str(int(part)) if part else "" for part in found.groups())
        if int(month or 1) > 12 or len(_TEMPLATE_DATE.findall(value)) > 1:
            return None
        return (year, month, day), "-".join(
            filter(None, (year, month.zfill(2) if month else "", day.zfill(2) if day else ""))
        )
    if len(value) > _LONGEST:
        return None
    text = readable(value)
    dates = [one for one in values_in(text) if one.kind == DATE]
    if len(dates) != 1 or not _is_exact(dates[0].key) or _UNSURE.search(text) or _RANGE.search(text):
        return None
    return dates[0].key, text[dates[0].start : dates[0].end]


def _is_exact(date: Date) -> bool:
    return date[0].isdigit() and len(date[0]) >= 3


# --- The text ---------------------------------------------------------------------------------------------------


def _facts_of_text(page: LightPage) -> Iterator[Fact]:
    text, lead_end = page.text, page.lead_end
    if life := _life(page):
        yield from life
    for name, (verb, is_passive, _) in PROPERTIES.items():
        at, looks, found = text.find(verb), 0, 0
        while at >= 0 and looks < _MOST_LOOKS and found < _MOST_FACTS:
            end = at + len(verb)
            is_word = not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum()
            if is_word and (fact := _fact_at(page, name, at, end, is_passive=is_passive, lead_end=lead_end)):
                found += 1
                yield fact
            at, looks = text.find(verb, end), looks + 1


def _fact_at(page: LightPage, name: str, at: int, end: int, *, is_passive: bool, lead_end: int) -> Fact | None:
    """The fact that the verb at this part of the text states about the page's subject; None if it states none."""
    text = page.text
    if not any(letter.isdigit() for letter in text[end : end + _AFTER]):
        return None
    ends = list(_SENTENCE_END.finditer(text, max(at - _BEFORE, 0), at))
    start = ends[-1].end() if ends else max(at - _BEFORE, 0) if at > _BEFORE else 0
    last = _SENTENCE_END.search(text, end, end + _LONGEST)
    stop = last.end() if last else min(end + _LONGEST, len(text))
    if is_tagged(text[start : stop + _AFTER]):
        return None
    before, after = readable(text[start:at]), readable(text[end:stop])
    if is_passive and not _PASSIVE.search(before):
        return None
    if not _is_subject(page, _PASSIVE.sub("", before).strip()):
        return None
    soon = _DATE_SOON.match(after)
    dates = [one for one in values_in(after[: _AFTER + 20]) if one.kind == DATE]
    if soon is None or not dates or not _is_exact(dates[0].key) or dates[0].start > soon.end() + 12:
        return None
    said = f"{before} {text[at:end]}{'' if after[:1] in ',.;:' else ' '}{after}"
    if _RANGE.search(after[: dates[0].start]) or _UNSURE.search(said) or len(said) > _LONGEST:
        return None
    part = LEAD if at < lead_end else page.part_at(at)
    return Fact(name, dates[0].key, after[dates[0].start : dates[0].end], said, part)


def _life(page: LightPage) -> list[Fact]:
    """Birth and death as the first sentence of an article about a person gives them in brackets."""
    line = next((line for line in page.text[: page.lead_end].split("\n") if line.lstrip().startswith("'''")), "")
    said = readable(line[:_LONGEST])
    found = _LIFE.match(said)
    if found is None or _UNSURE.search(found[0]) or not _is_person(page):
        return []
    facts = []
    for name, written in (("born", found["born"]), ("died", found["died"])):
        dates = [one for one in values_in(written or "") if one.kind == DATE]
        if len(dates) == 1 and _is_exact(dates[0].key):
            facts.append(Fact(name, dates[0].key, written.strip(), said[: found.end()], LEAD))
    return facts


def _is_person(page: LightPage) -> bool:
    return "birth_date" in page.infobox or "birth_year" in page.infobox or " births]]" in page.text


# --- The subject ------------------------------------------------------------------------------------------------


def _is_subject(page: LightPage, words: str) -> bool:
    """Return whether these words, before a verb, name the page's subject: its title or the end of it, a pronoun, or
    "the bridge" where title or first sentence say "bridge".
    """
    said = _OPENING.sub("", words).strip(" ,(")
    if not said or len(said) > 120:
        return False
    if _PRONOUN.fullmatch(said):
        return True
    lower, title = said.lower().removeprefix("the "), page.title.partition(" (")[0].lower()
    if lower == title or (" " in title and lower == title.rpartition(" ")[2] and said[0].isupper()):
        return True
    noun = _NOUN.fullmatch(said)
    return noun is not None and noun[1].lower() in _kinds(page.title, page.text[: min(page.lead_end, 1_000)])


@lru_cache(maxsize=8)
def _kinds(title: str, lead: str) -> frozenset[str]:
    """The nouns that "the" may stand before for the page's subject: the words of title and first sentence."""
    first = readable(lead.strip()).partition(". ")[0]
    before = re.split(
        r"\b(?:in|on|of|at|near|for|over|by|between|that|which|who)\b",
        first.partition(" is ")[2] or first.partition(" was ")[2],
    )[0]
    return frozenset(re.findall(r"[\w-]+", f"{title} {before}".lower()))
