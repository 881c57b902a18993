"""The licences of a release's texts, as recorded: of facts, of evidence, or of an imported file. None is assumed."""

from collections.abc import Mapping

from annotation.models import Release
from annotation.releases.datasheets.licences import BY_SA, UNKNOWN, Licence, common_licence

ZERO = Licence("Creative Commons Zero 1.0, CC0", "https://creativecommons.org/publicdomain/zero/1.0/")
# As people write the names of licences, without blanks, hyphens and case.
KNOWN = {"cc0": ZERO, "cc01.0": ZERO, "ccbysa4.0": BY_SA}
NOT_RECORDED = "not recorded"


def licence_of(written: str) -> Licence:
    """The licence that a text names: one that is known by its name, else the text; UNKNOWN if it is empty."""
    plain = written.casefold().replace("-", "").replace(" ", "")
    return KNOWN.get(plain) or (Licence(written) if written else UNKNOWN)


def recorded_licences(release: Release) -> Mapping[str, Licence]:
    """The licence of each part of the texts: the facts and the evidence of a release made here, or the files of an
    imported one.
    """
    made = release.how_made
    if "evidence" in made:
        facts = {f"facts of {name or 'a file'}": licence_of(text) for name, text in made.get("facts", [])}
        return {**(facts or {"facts": UNKNOWN}), f"evidence by {made['evidence']}": UNKNOWN}
    sources = made.get("sources") or [{}]
    return {str(each.get("file") or "the imported file"): licence_of(each.get("licence", "")) for each in sources}


def licence_code(release: Release) -> str:
    """The code on the Hub of the licence of all the texts: "unknown" if that of some is not recorded."""
    return common_licence(recorded_licences(release)).code


def licence_url(release: Release) -> str:
    """The address of the licence of all the texts, its name, or that it is not recorded."""
    found = common_licence(recorded_licences(release))
    return NOT_RECORDED if found == UNKNOWN else found.url or found.name


def licence_lines(release: Release) -> list[str]:
    """The licence of each part, in words."""
    return [
        f"{part[:1].upper()}{part[1:]}: {NOT_RECORDED if licence == UNKNOWN else licence}."
        for part, licence in recorded_licences(release).items()
    ]
