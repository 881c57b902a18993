"""The sources of the imported items of a release: recorded when it is made, shown on its page and datasheet."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, QuerySet

from core.languages import say, say_count
from core.models import Batch

from ...models import Annotation, Release

NOT_GIVEN = say("not given")


def sources_of(annotations: QuerySet[Annotation]) -> list[dict[str, object]]:
    """The files from which these annotations were imported, in the order of their imports, each with the number of
    its annotations.
    """
    counted = annotations.exclude(batch=None).order_by().values_list("batch").annotate(count=Count("pk"))
    counts: dict[int, int] = dict(counted)
    batches = Batch.objects.filter(pk__in=counts).exclude(source={}).order_by("pk")
    return [{**batch.source, "records": counts[batch.pk]} for batch in batches]


def source_rows(release: Release) -> Iterator[tuple[str, str]]:
    """Label and text for each file that a release's items came from, and for items whose file is unknown."""
    for source in release.sources:
        label = say_count(source["records"], "File of one item", "File of {count:,} imported items")
        yield label, source["file"] or NOT_GIVEN
        yield say("SHA-256 of the file"), source["sha256"]
        yield say("Revision"), source["revision"] or NOT_GIVEN
        if licence := source.get("licence"):
            yield say("Licence of its texts"), licence
        yield say("Imported"), f"{datetime.fromisoformat(source['imported_at']):%Y-%m-%d %H:%M} UTC"
    unknown = release.how_made.get("imported", 0) - sum(source["records"] for source in release.sources)
    if unknown > 0:
        yield say("Imported items whose file was not recorded"), f"{unknown:,}"
