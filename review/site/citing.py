"""The citation of a release, in BibTeX. No rows here."""

import re


def citation(*, title: str, number: int, year: int, content_hash: str, authors: str = "", url: str = "") -> str:
    """The entry of a release. `authors` are separated by " and ", as in BibTeX."""
    fields = {
        "title": title,
        "author": authors,
        "year": str(year),
        "version": str(number),
        "url": url,
        "note": f"SHA-256 of the content: {content_hash}",
    }
    lines = [f"  {name:7} = {{{_plain(value)}}}" for name, value in fields.items() if value]
    return f"@misc{{release{number}_{content_hash[:8]},\n" + ",\n".join(lines) + "\n}"


def _plain(text: str) -> str:
    """The text on one line, without the characters that end a field or begin a command."""
    return re.sub(r"\s+", " ", re.sub(r"[{}\\]", "", text)).strip()
