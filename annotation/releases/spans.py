"""The contradicted spans of released instances. An instance has only its passages; the record of its tag, frozen with
it, says which of their words contradict each other."""

import json
from collections.abc import Iterable

from ..content.instances import Conflict
from ..content.paper_record import RESULT, content_of_result
from ..models import Instance, ReleasedRecord

Spans = dict[int, str]  # by passage number


def spans_of(instances: Iterable[Instance]) -> dict[int, Spans]:
    """The spans of each instance, by primary key; empty if its record has none. One query for all of them."""
    rows = list(instances)
    spans: dict[int, Spans] = {instance.pk: {} for instance in rows}
    of_tags = [(instance, Conflict.of(instance)) for instance in rows if instance.tag_id]
    tags = {instance.tag_id for instance, _ in of_tags}
    if not tags:
        return spans
    records = ReleasedRecord.objects.filter(annotation__tag__in=tags).order_by("release__number")
    for tag, text in records.values_list("annotation__tag", "content"):
        content = content_of_result(json.loads(text).get(RESULT) or {})
        passages = tuple(
            content[f"paragraph{letter}_information_standalone"] or content[f"paragraph{letter}_information"]
            for letter in "AB"
        )
        named = {number: content[f"relevantInfo_comment_{letter}_Span"] for number, letter in ((1, "A"), (2, "B"))}
        for instance, conflict in of_tags:
            # A later release may have other words for the same tag; those for this text count.
            if instance.tag_id == tag and (conflict.passage_1, conflict.passage_2) == passages:
                spans[instance.pk] = {number: span for number, span in named.items() if span.strip()}
    return spans
