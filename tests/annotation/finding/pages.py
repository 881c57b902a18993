"""Pages in wikitext that contradict themselves, for the tests of the finder."""

from datetime import UTC, datetime

from annotation.mediawiki import PageRevision

BRIDGE = """{{Infobox bridge
| name   = Tarn Bridge
| opened = 1868
}}
The '''Tarn Bridge''' is a road bridge over the Tarn.<ref>''Survey''</ref>

== History ==
Its first arch was set in 1866. The bridge was opened on 4 May 1871 by the mayor. Many came.
"""
PERSON = """'''Ilse Marrow''' (11 March 1872 – 2 September 1941) was a botanist.

== Life ==
Marrow was born in Averil on 11 March 1874 and went to sea. She died on 2 September 1941.

[[Category:1872 births]]
"""
TABLE = """The '''Vale Vote''' was a vote.

== Results ==
{| class="wikitable"
! Ward !! Votes !! Spoilt
|-
| North || 1,200 || 3
|-
| East || 800 || 4
|-
| South || 400 || 5
|-
! Total !! 2,500 !! 12
|}
"""
FINE = """{{Infobox bridge
| opened = 1868
}}
The '''Tarn Bridge''' is a road bridge. It was opened in 1868.

== History ==
The Mill Bridge was opened in 1790. The bridge was reopened in 1902. The [[Tarn Company]] was founded in 1850.
"""


def page(title: str, wikitext: str, number: int = 7, revision: int = 70) -> PageRevision:
    """A page as a wiki or a dump gives it."""
    at = datetime(2024, 1, 1, tzinfo=UTC)
    return PageRevision(title, number, 0, revision, at, wikitext, f"https://wiki.example/wiki/{number}")
