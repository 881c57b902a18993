"""Which licence and which languages the texts of a release have, by the wikis that they come from."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_WIKIPEDIA = re.compile(r"(?:([a-z-]+)\.)?(?:m\.)?wikipedia\.org")
# Names of Wikipedias that are no codes of languages.
_NAMED_OTHERWISE = {"simple": "en", "www": ""}


@dataclass(frozen=True, slots=True)
class Licence:
    # As the Hub calls it.
    code: str
    name: str
    url: str
    words: str


BY_SA = Licence(
    "cc-by-sa-4.0",
    "Creative Commons Attribution-ShareAlike 4.0",
    "https://creativecommons.org/licenses/by-sa/4.0/",
    "Passages, paragraphs and tags are quotations from Wikipedia, under CC BY-SA 4.0. The stand-alone passages, "
    "statements, questions and answers are adaptations of them and are shared alike. To attribute, link to the "
    "article: its address is in each row, and its history names the authors.",
)
UNKNOWN = Licence(
    "unknown",
    "Not known",
    "",
    "Some of the articles are not from Wikipedia, so the licence of their texts is not known here. Find out "
    "before you publish this, and say so on this card.",
)


def licence_of(hosts: Iterable[str]) -> Licence:
    return BY_SA if all(_WIKIPEDIA.fullmatch(host) for host in hosts) else UNKNOWN


def languages_of(hosts: Iterable[str]) -> list[str]:
    """The codes of the Wikipedias' languages, in order."""
    codes = {match[1] or "" for host in hosts if (match := _WIKIPEDIA.fullmatch(host))}
    return sorted({_NAMED_OTHERWISE.get(code, code) for code in codes} - {""})
