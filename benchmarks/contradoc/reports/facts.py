"""The attributes by which ContraDoc's tables group documents: read from a document once per process."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from threading import Lock

from annotation.models import Instance, Release
from annotation.reading.sentences import sentences
from review.reports.scope import Scope

from .. import items as item
from ..content.statistics import bin_of

# The number of documents held at a time: the computed facts of one are small, its text is not.
MOST_KNOWN = 20_000


@dataclass(frozen=True, slots=True)
class Facts:
    """The attributes by which tables group a document."""

    is_positive: bool
    doc_type: str
    scope: str
    types: tuple[str, ...]
    words: str
    sentences: int

    @classmethod
    def of(cls, content: item.Content) -> "Facts":
        return cls(
            is_positive=item.is_positive(content),
            doc_type=content[item.KIND],
            scope=item.scope_words(content),
            types=tuple(item.types_of(content)),
            words=bin_of(item.words_in(content[item.TEXT])),
            sentences=len(sentences(content[item.TEXT])),
        )


# By the key of the instance, which says its content: no row ever makes what is here untrue.
_known: OrderedDict[str, Facts] = OrderedDict()
_lock = Lock()


def facts_of(instances: Iterable[int]) -> dict[int, Facts]:
    """The facts of these documents, computed once per process."""
    keys = dict(Instance.objects.filter(pk__in=set(instances)).values_list("pk", "key"))
    with _lock:
        found = {pk: _known[key] for pk, key in keys.items() if key in _known}
    missing = [pk for pk in keys if pk not in found]
    for pk, content in _contents(missing):
        found[pk] = Facts.of(content)
    with _lock:
        for pk in missing:
            _known[keys[pk]] = found[pk]
        while len(_known) > MOST_KNOWN:
            _known.popitem(last=False)
    return found


def _contents(instances: list[int]) -> Iterator[tuple[int, item.Content]]:
    for start in range(0, len(instances), 500):
        piece = Instance.objects.filter(pk__in=instances[start : start + 500])
        yield from piece.values_list("pk", "content").iterator(chunk_size=100)


def release_of(scope: Scope) -> Release | None:
    """The release of the scope if it is of ContraDoc; without one in the scope, the newest."""
    if scope.release:
        return scope.release if scope.release.benchmark == item.CODE else None
    return Release.objects.filter(benchmark=item.CODE).order_by("-number").first()
