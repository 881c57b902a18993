"""Deletes the items of imports in batches that were interrupted and never continued. Called by the clock."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef
from django.utils import timezone

from core.engine.writing.pieces import in_pieces
from core.models import Batch

from ...models import Instance, Release, ReleasedInstance
from .importing import ContentImport

# An import continues if the same file is imported again within this time.
KEPT_FOR = timedelta(days=7)


def clear_abandoned_items() -> int:
    """Delete, in pieces, the items in no release of files that nobody imported for a week. Returns their number."""
    batches = [batch.pk for batch in abandoned_batches(since=timezone.now() - KEPT_FOR)]
    if not batches:
        return 0
    released = ReleasedInstance.everything.filter(instance=OuterRef("pk"))
    items = Instance.everything.filter(~Exists(released), batch__in=batches, responses=None)
    deleted = in_pieces(list(items.values_list("pk", flat=True)), lambda keys: items.filter(pk__in=keys).delete())
    Batch.objects.filter(pk__in=batches).update(is_given_up=True)
    return deleted


def abandoned_batches(*, since: datetime) -> list[Batch]:
    """The batches of files that became no release, and were not imported again since this time."""
    batches = Batch.objects.filter(what=ContentImport.what, is_given_up=False).exclude(source={})
    made = Release.everything.values_list("how_made", flat=True)
    in_use = {source.get("sha256") for how_made in made for source in how_made.get("sources", ())}
    in_use |= {batch.source.get("sha256") for batch in batches if batch.begun_at >= since or batch.is_open}
    return [batch for batch in batches if batch.source.get("sha256") not in in_use]
