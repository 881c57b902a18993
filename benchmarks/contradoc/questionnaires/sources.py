"""The source of a document: documents of one source differ only in the inserted text.

A released document names its source by the number before the underscore of its id. A clean document without such a
number in its id gets one for its released documents, so its source has two names.
"""

from collections.abc import Collection

from django.db.models import Q

from core.outside import whole_number

from ..items import CODE, group_of
from ..models import Document

# The numbers of sources whose documents name none begin here.
NUMBERED_FROM = 10**13


def source_number(pk: int, code: str) -> str:
    """The number of a clean document's source in released documents."""
    source = group_of(code)
    is_number = whole_number(source, most=NUMBERED_FROM - 1) is not None
    return source if is_number else str(NUMBERED_FROM + pk)


def names_of(pk: int, code: str) -> set[str]:
    """The names of the source of a clean document: among the groups of instances."""
    return {group_of(code), source_number(pk, code)}


def documents_of(groups: Collection[str]) -> dict[int, set[str]]:
    """The clean documents of these sources, each with all names of its source."""
    there = Document.objects.filter(benchmark=CODE)
    if len(groups) == 1:
        there = there.filter(_may_be_of(*groups))
    documents = ((pk, names_of(pk, code)) for pk, code in there.values_list("pk", "code"))
    return {pk: names for pk, names in documents if not names.isdisjoint(groups)}


def _may_be_of(group: str) -> Q:
    found = Q(code__startswith=group)
    number = whole_number(group) or 0
    if number > NUMBERED_FROM:
        found |= Q(pk=number - NUMBERED_FROM)
    return found
