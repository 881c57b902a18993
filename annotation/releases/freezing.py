"""Freezes accepted annotations into a numbered release, compares releases, and verifies that one is unchanged."""

import hashlib
import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import chain, count
from typing import Any, TypeVar

from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from core.engine.writing.inserts import Insert, give_keys, keys_for
from core.engine.writing.pieces import in_chunks, snapshot
from core.engine.writing.spool import Spool
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from core.writing.batches import last_batch, written_together
from core.writing.progress import along

from ..assisting.model_suggestions import machine_share
from ..content.checks import is_empty
from ..content.instances import canonical, instance_key
from ..kinds.registry import annotated
from ..models import (
    Annotation,
    AnnotationAction,
    AnnotationState,
    Contribution,
    CounterpartOffer,
    Instance,
    Release,
    ReleasedInstance,
    ReleasedRecord,
    Tag,
)
from .announcing import announce_release
from .canonical import Accepted, accepted_annotations, canonical_lines, listed
from .datasheets.licences import licences_told
from .datasheets.made_facts import making_facts
from .datasheets.sources import sources_of

BATCH = 500
NAME_LENGTH = 100
T = TypeVar("T")


@dataclass(slots=True)
class Snapshot:
    """The content of a release, reduced to the values that distinguish two releases."""

    # Tag to the title of its article and the digest of its record.
    tags: dict[int, tuple[str, str]] = field(default_factory=dict)
    instances: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Changes:
    """The additions of one snapshot over an earlier one. Tags are listed by the titles of their articles."""

    tags_added: list[str]
    tags_removed: list[str]
    tags_changed: list[str]
    instances_added: int
    instances_removed: int
    tags_kept: int
    instances_kept: int

    def __bool__(self) -> bool:
        tags = self.tags_added or self.tags_removed or self.tags_changed
        return bool(tags or self.instances_added or self.instances_removed)


def changes_between(before: Snapshot, after: Snapshot) -> Changes:
    shared = before.tags.keys() & after.tags.keys()
    changed = [tag for tag in shared if before.tags[tag][1] != after.tags[tag][1]]
    return Changes(
        tags_added=_titles(after, after.tags.keys() - before.tags.keys()),
        tags_removed=_titles(before, before.tags.keys() - after.tags.keys()),
        tags_changed=_titles(after, changed),
        instances_added=len(after.instances - before.instances),
        instances_removed=len(before.instances - after.instances),
        tags_kept=len(shared) - len(changed),
        instances_kept=len(after.instances & before.instances),
    )


def _titles(snapshot: Snapshot, tags: Iterable[int]) -> list[str]:
    return [snapshot.tags[tag][0] for tag in sorted(tags)]


def snapshot_of(release: Release | None) -> Snapshot:
    """The snapshot of a release; an empty one for None."""
    snapshot = Snapshot()
    if release is None:
        return snapshot
    rows = release.records.values_list("annotation__tag_id", "content").order_by("position")
    for tag_id, content in rows.iterator(chunk_size=BATCH):
        record = json.loads(content)
        snapshot.tags[tag_id] = (record["title"], _digest(record))
    snapshot.instances = set(release.instances.values_list("key", flat=True))
    return snapshot


def snapshot_now(reader: User | None = None) -> Snapshot:
    """The snapshot of a release made now, limited to what `reader` may know; None may know of all."""
    snapshot, copies = Snapshot(), Counter[str]()
    for annotation in accepted_annotations(reader=reader):
        record = annotation.record()
        snapshot.tags[annotation.tag] = (record["title"], _digest(record))
        snapshot.instances.update(_keys(annotation.instances(), copies))
    return snapshot


def _digest(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(record).encode()).hexdigest()


def _keys(instances: Iterable[dict[str, Any]], copies: Counter[str]) -> list[str]:
    """The keys of these instances; `copies` counts identical instances across the whole release."""
    keys = []
    for values in instances:
        plain = instance_key(values)
        keys.append(instance_key(values, copy=copies[plain]) if copies[plain] else plain)
        copies[plain] += 1
    return keys


def get_release(number: int) -> Release:
    """The release with this number. Raises Refusal if there is none."""
    release = Release.objects.filter(number=number).first() if 0 < number < 2**31 else None
    if release is None:
        raise Refusal(say("There is no release {number}.", number=number), status=404)
    return release


def previous_release(release: Release) -> Release | None:
    """The release of the same benchmark before it."""
    earlier = Release.objects.filter(benchmark=release.benchmark, number__lt=release.number)
    return earlier.order_by("-number").first()


def latest_release(benchmark: str) -> Release | None:
    return Release.objects.filter(benchmark=benchmark).order_by("-number").first()


def next_number() -> int:
    """The number of the next release: all benchmarks share one count."""
    return (Release.objects.aggregate(last=Max("number"))["last"] or 0) + 1


class _Draft:
    """A release before it is written. Its content is in files, as it may not fit into memory."""

    def __init__(self) -> None:
        self.records, self.instances = Spool(), Spool()
        self.digest = hashlib.sha256()
        # For each instance, in order: key, offset in its file, question_ID.
        self.keys: list[str] = []
        self.offsets = array("q")
        self.numbers: list[int] = []

    def add(self, annotation: Accepted, copies: Counter[str]) -> None:
        record = annotation.record()
        self.records.add((annotation.pk, json.dumps(record)))
        for line in canonical_lines([record], []):
            self.digest.update(line.encode())
        instances = annotation.instances()
        asked = [
            number for number in sorted(annotation.questions) if not is_empty(annotation.content[f"question{number}"])
        ]
        for key, values, number in zip(_keys(instances, copies), instances, asked, strict=False):
            self.keys.append(key)
            self.offsets.append(self.instances.add((annotation.tag, annotation.questions[number], values)))

    def content_hash(self) -> str:
        for number, offset in sorted(zip(self.numbers, self.offsets, strict=True)):
            _, _, values = self.instances.at(offset)
            for line in canonical_lines([], [(number, values)]):
                self.digest.update(line.encode())
        return self.digest.hexdigest()

    def close(self) -> None:
        self.records.close()
        self.instances.close()


def create_release(*, name: str, notes: str = "", admin: User | None) -> Release:
    """Freeze all accepted annotations in their current state; returns the release, numbered after the last one.

    An instance released before with the same text keeps its row and its question_ID; new ones get the next numbers,
    and no number is ever used twice. The release is written in pieces, and becomes visible once it is complete.

    Raises Refusal if there is no name, if nothing is accepted, if nothing changed since the last release, or if an
    import or another release is being written.
    """
    planned_after = last_batch()
    with _drafted(name) as (draft, columns):
        columns |= {"name": name.strip(), "notes": notes.strip(), "created_by": admin}
        release = Release(number=next_number(), benchmark=annotated().code, **columns)
        return freeze(release, along(say("Freezing"), _rows(release, draft)), planned_after=planned_after)


def check_release(*, name: str) -> None:
    """Raises Refusal as `create_release` would now. Nothing is written."""
    with _drafted(name):
        pass


@contextmanager
def _drafted(name: str) -> Iterator[tuple["_Draft", dict[str, Any]]]:
    """All accepted annotations as a release, and its content columns. Raises Refusal if no release of this name is
    possible.
    """
    check_name(name.strip())
    with closing(_Draft()) as draft:
        with snapshot():
            last, how_made = latest_release(annotated().code), _how_made()
            _fill(draft)
        if not draft.records.length:
            raise Refusal(say("There is no accepted annotation yet, so there is nothing to release."))
        content_hash = draft.content_hash()
        if last and last.content_hash == content_hash:
            raise Refusal(
                say(
                    "Nothing changed since release {number} (“{name}”): a new release would be the same.",
                    number=last.number,
                    name=last.name,
                )
            )
        yield draft, {"content_hash": content_hash, "how_made": how_made}


def check_name(name: str) -> None:
    """Raises Refusal if no release can have this name."""
    if not name or len(name) > NAME_LENGTH:
        raise Refusal(
            say(
                "A release needs a name of at most {most} characters. Nothing was released.",
                most=NAME_LENGTH,
            ),
            status=400,
        )


def freeze(release: Release, rows: Iterable[Insert], *, planned_after: int) -> Release:
    """Write a new release and its `rows`, which are requested once it has its key; both become visible when all is
    written. The log and webhooks then report it. Raises Refusal if an import or another release is being written.
    """

    def tell() -> None:
        after = {"number": release.number, "content_hash": release.content_hash}
        Event.record(AnnotationAction.RELEASED, release, actor=release.created_by, after=after)
        announce_release(release)

    with written_together("release", planned_after=planned_after, actor=release.created_by) as writing:
        give_keys([release])
        writing.create(chain([release], rows))
        writing.finish(tell)
    return release


def instance_rows(
    release: Release, items: Iterable[tuple[str, int, T]], columns: Callable[[T], dict[str, Any]]
) -> Iterator[Insert]:
    """The rows of a release's instances, each given by its key, its number, and the source of its `columns`. An
    instance from an earlier release is left unchanged.
    """
    for chunk in in_chunks(items, BATCH):
        ids = instance_ids(key for key, _, _ in chunk)
        yield from new_instances([(key, content) for key, _, content in chunk if key not in ids], columns, ids)
        for key, number, _ in chunk:
            yield Insert.of(ReleasedInstance, release_id=release.pk, number=number, instance_id=ids[key])


def instance_ids(keys: Iterable[str]) -> dict[str, int]:
    """The primary keys of the instances with these keys, as far as they exist."""
    return dict(Instance.everything.filter(key__in=list(keys)).values_list("key", "pk"))


def new_instances(
    items: Sequence[tuple[str, T]], columns: Callable[[T], dict[str, Any]], ids: dict[str, int]
) -> Iterator[Insert]:
    """The rows of new instances, each given by its key and the source of its `columns`; their primary keys go into
    `ids`.
    """
    now = timezone.now()
    for (key, content), pk in zip(items, keys_for({Instance: len(items)})[Instance], strict=True):
        ids[key] = pk
        yield Insert.of(Instance, id=pk, key=key, created_at=now, **columns(content))


def _fill(draft: _Draft) -> None:
    copies = Counter[str]()
    for annotation in along(say("Reading annotations"), accepted_annotations()):
        draft.add(annotation, copies)
    draft.numbers = _numbers(draft.keys)


def _numbers(keys: list[str]) -> list[int]:
    """The question_ID of each: its existing one, otherwise the next unused one."""
    had: dict[str, int] = {}
    for chunk in in_chunks(keys, BATCH):
        released = ReleasedInstance.objects.filter(instance__key__in=chunk)
        had |= dict(released.values_list("instance__key", "number"))
    of_benchmark = ReleasedInstance.objects.filter(release__benchmark=annotated().code)
    last = of_benchmark.aggregate(last=Max("number"))["last"] or 0
    new = count(last + 1)
    return [had[key] if key in had else next(new) for key in keys]


def _rows(release: Release, draft: _Draft) -> Iterator[Insert]:
    for position, (annotation, content) in enumerate(draft.records, start=1):
        values = {"position": position, "annotation_id": annotation, "content": content}
        yield Insert.of(ReleasedRecord, release_id=release.pk, **values)
    numbered = zip(draft.keys, draft.numbers, draft.instances, strict=True)
    yield from instance_rows(release, numbered, _columns)


def _columns(spooled: tuple[int, int, dict[str, Any]]) -> dict[str, Any]:
    tag, question, values = spooled
    return Instance.columns(annotated().code, listed(values), values) | {"tag_id": tag, "question_id": question}


def _how_made() -> dict[str, Any]:
    """Facts about the making of the accepted annotations."""
    annotations = Annotation.objects.accepted().without_checks()
    finished = Count("annotations", filter=~Q(annotations__state=AnnotationState.DRAFT))
    tags = Tag.objects.filter(pk__in=annotations.values("tag")).annotate(finished=finished)
    merged = Contribution.objects.filter(annotation__in=annotations)
    wrote = set(annotations.order_by().values_list("annotator", flat=True).distinct())
    wrote |= set(merged.order_by().values_list("original__annotator", flat=True).distinct())
    return {
        "annotators": len(wrote - {None}),
        "reviewers": annotations.filter(imported_record="")
        .exclude(reviewed_by=None)
        .values("reviewed_by")
        .distinct()
        .count(),
        "imported": annotations.exclude(imported_record="").count(),
        "annotated_twice": tags.filter(finished__gte=2).count(),
        "merged": annotations.filter(merged_by__isnull=False).count(),
        "guidelines": _guidelines(annotations),
        "sources": sources_of(annotations),
        "licences": licences_told(),
        "making": making_facts(annotations),
    } | _suggested(annotations)


def _guidelines(annotations: QuerySet[Annotation]) -> list[list[int | None]]:
    """The versions of the guideline that the annotations were submitted under, each with their number; None where
    that is not known."""
    counts = dict(annotations.order_by().values_list("guideline").annotate(count=Count("pk")))
    return [[version, counts[version]] for version in sorted(counts, key=lambda version: version or 0)]


def _suggested(annotations: QuerySet[Annotation]) -> dict[str, int]:
    """Texts suggested by models or drafted by rule, and suggested counterparts, where there are any."""
    counts: dict[str, int] = {}
    for prefix, by_rule in (("drafted_", False), ("ruled_", True)):
        share = machine_share(annotations, by_rule=by_rule)
        counts |= {prefix + name: count for name, count in asdict(share).items()} if share.fields else {}
    offers = CounterpartOffer.objects.filter(annotation__in=annotations)
    shown = offers.exclude(shown=[]).count()
    if shown:
        counts |= {"counterparts_shown": shown, "counterparts_taken": offers.filter(taken__isnull=False).count()}
        reranked = offers.exclude(shown=[]).exclude(model="").count()
        counts |= {"counterparts_reranked": reranked} if reranked else {}
    return counts
