"""What the sites of each benchmark show beside the defaults."""

from annotation.kinds.contradoc.item import CODE as CONTRADOC
from annotation.models import WIKICONTRADICT

from ..kinds.contradoc.presentation import PRESENTATION as CONTRADOC_SITE
from ..kinds.presentation import Presentation
from ..kinds.wikicontradict.presentation import PRESENTATION as WIKICONTRADICT_SITE

ENTRIES = {WIKICONTRADICT: WIKICONTRADICT_SITE, CONTRADOC: CONTRADOC_SITE}


def presentation_of(benchmark: str) -> Presentation:
    return ENTRIES.get(benchmark, Presentation())
