"""The sample articles, harvested like any other dump."""

from pathlib import Path

from core.languages import say
from core.refusals import Refusal

from ..harvesting.harvests import start_harvest
from ..harvesting.steps import run_harvest
from ..models import Harvest, HarvestSource, HarvestState, Wiki
from . import WIKI

ARTICLES = Path(__file__).parent / "articles.xml"


def harvest_samples() -> Harvest:
    """Harvest the sample articles like any other dump and return the finished harvest; repeating it changes nothing.

    Raises `Refusal` if an error stopped it.
    """
    wiki, _ = Wiki.objects.get_or_create(
        **WIKI, defaults={"name": "Sample articles", "language": "en", "is_allowed": False}
    )
    parameters = {"path": str(ARTICLES), "file_name": ARTICLES.name}
    harvest = start_harvest(source=HarvestSource.DUMP, wiki=wiki, parameters=parameters)
    run_harvest(harvest.pk)
    harvest.refresh_from_db()
    if harvest.state == HarvestState.FAILED:
        raise Refusal(say("The sample articles were not harvested. {error}", error=harvest.error))
    return harvest
