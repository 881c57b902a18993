"""Agreement of annotators on the tags of a release, as stored with it."""

from typing import Any

from django.db.models import QuerySet

from annotation.models import Annotation
from annotation.reviewing.first_submissions import annotated_twice, first_submissions
from core.languages import say

from ...statistics.estimates import Estimate, Undefined
from .annotated_twice import measured


def released_agreement(annotations: QuerySet[Annotation]) -> list[dict[str, object]]:
    """The agreement on each choice over the tags of these annotations: `name`, `n` pairs of annotations, `same` (the
    share of equal ones) and Krippendorff's `alpha`."""
    tags = annotated_twice(None).filter(tag__in=annotations.order_by().values("tag")).values_list("tag", flat=True)
    found = measured(say("Release"), list(first_submissions(list(tags), reader=None)), {})
    return [
        {"name": each.name, "n": each.n, "same": _number(each.same), "alpha": _number(each.alpha)}
        for each in found.choices.values()
    ]


def _number(number: Estimate | Undefined) -> dict[str, Any]:
    if isinstance(number, Undefined):
        return {"value": None, "reason": number.reason}
    return {"value": number.value, "reason": ""}
