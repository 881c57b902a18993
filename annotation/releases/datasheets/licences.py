"""The licences of a release's texts, by the wikis that they come from, and the languages of these.

A wiki's own site information states its licence: it is stored when the wiki is allowed, and with each release. The
licence of Wikipedias is known anyway. For all others it is unknown, and nobody should assume one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...models import Release, Wiki

_WIKIPEDIA = re.compile(r"(?:([a-z-]+)\.)?(?:m\.)?wikipedia\.org")
# Names of Wikipedias that are no codes of languages.
_NAMED_OTHERWISE = {"simple": "en", "www": ""}
_COMMONS = re.compile(r"https?://creativecommons\.org/licenses/([a-z-]+)/(\d\.\d)(?:/.*)?")
_ZERO = re.compile(r"https?://creativecommons\.org/publicdomain/zero/1\.0(?:/.*)?")


@dataclass(frozen=True, slots=True)
class Licence:
    name: str
    url: str = ""

    @property
    def code(self) -> str:
        """The licence's code on the Hub."""
        if self == UNKNOWN:
            return "unknown"
        if found := _COMMONS.fullmatch(self.url):
            return f"cc-{found[1]}-{found[2]}"
        return "cc0-1.0" if _ZERO.fullmatch(self.url) else "other"

    @property
    def is_share_alike(self) -> bool:
        return "-sa-" in self.code

    def __str__(self) -> str:
        return f"{self.name} ({self.url})" if self.url else self.name


# In place of the host of an article without a valid address.
NO_HOST = "unknown"
BY_SA = Licence(
    "Creative Commons Attribution-ShareAlike 4.0, CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"
)
UNKNOWN = Licence("not known")
SEVERAL = Licence("several licences, see below")


def licences_told() -> dict[str, dict[str, str]]:
    """The licences of the wikis that stated one, by host; to be stored with a new release. A host of several wikis
    with different ones is left out.
    """
    told: dict[str, list[dict[str, str]]] = {}
    for api_url, name, url in Wiki.objects.values_list("api_url", "licence", "licence_url"):
        told.setdefault(urlsplit(api_url).hostname or "", []).append({"name": name, "url": url})
    alike = {host: said[0] for host, said in told.items() if all(each == said[0] for each in said)}
    return {host: said for host, said in alike.items() if any(said.values())}


def licences_of(release: Release, hosts: Iterable[str]) -> dict[str, Licence]:
    """The licences of texts from these hosts."""
    told: Mapping[str, Mapping[str, str]] = release.how_made.get("licences", {})
    return {host: _licence(host, told) for host in sorted(hosts)}


def _licence(host: str, told: Mapping[str, Mapping[str, str]]) -> Licence:
    if host in told:
        return Licence(told[host]["name"] or told[host]["url"], told[host]["url"])
    return BY_SA if _WIKIPEDIA.fullmatch(host) else UNKNOWN


def common_licence(licences: Mapping[str, Licence]) -> Licence:
    """The licence of all the texts; UNKNOWN if one of them is unknown."""
    found = set(licences.values())
    if not found or UNKNOWN in found:
        return UNKNOWN
    return found.pop() if len(found) == 1 else SEVERAL


def licence_words(licences: Mapping[str, Licence]) -> Iterator[str]:
    """Sentences for a card or a datasheet."""
    for licence in dict.fromkeys(licences.values()):
        hosts = ", ".join(_named(host) for host in licences if licences[host] == licence)
        if licence == UNKNOWN:
            yield (
                f"The licence of texts from {hosts} is not recorded here. Check the wiki's terms before you publish "
                "them, and say so. A wiki is asked for its licence when it is allowed; allow it again to record it."
            )
            continue
        alike = " and are shared alike" if licence.is_share_alike else ""
        yield (
            f"Passages, paragraphs and tags from {hosts} are quotations, under {licence}. The stand-alone "
            f"passages, statements, questions and answers are adaptations of them{alike}."
        )
    yield "To attribute, link to the article: its address is in each record, and its history names the authors."


def _named(host: str) -> str:
    return "articles without an address" if host == NO_HOST else host


def languages_of(hosts: Iterable[str]) -> list[str]:
    """The codes of the Wikipedias' languages, in order."""
    codes = {match[1] or "" for host in hosts if (match := _WIKIPEDIA.fullmatch(host))}
    return sorted({_NAMED_OTHERWISE.get(code, code) for code in codes} - {""})
