"""Releases of benchmarks with imported items: frozen in the order of the file, numbered from 1.

A release of what is annotated here is made of accepted annotations instead: `annotation.releases.freezing`.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from core.engine.writing.inserts import Insert
from core.engine.writing.pieces import in_chunks
from core.languages import joined, say, say_count
from core.models import User
from core.refusals import Refusal
from core.writing.batches import last_batch
from core.writing.progress import along

from ...content.instances import canonical
from ...kinds.registry import Benchmark
from ...kinds.registry import benchmark as kind_of
from ...kinds.signatures import Content
from ...models import Instance, Release
from ..canonical import content_line, released_instances
from ..freezing import check_name, freeze, instance_ids, instance_rows, new_instances, next_number

# The maximum of problems that are named, each with its item, and of items looked up with one query.
MOST_NAMED, LOOKED_UP = 50, 500


def content_key(benchmark: str, content: Content) -> str:
    """The key of an instance: the same content has the same key in every release of its benchmark."""
    return hashlib.sha256(canonical({"benchmark": benchmark, "content": content}).encode()).hexdigest()


def content_hash(contents: Iterable[Content]) -> str:
    """The content hash of a release of these items in this order."""
    digest = hashlib.sha256()
    for number, content in enumerate(contents, start=1):
        digest.update(content_line(number, content).encode())
    return digest.hexdigest()


def release_with(benchmark: str, content_hash: str) -> Release | None:
    """The release of the benchmark with exactly this content."""
    return Release.objects.filter(benchmark=benchmark, content_hash=content_hash).order_by("number").first()


def release_contents(
    *,
    benchmark: Benchmark,
    name: str,
    contents: Sequence[Content],
    how_made: Mapping[str, Any] | None = None,
    admin: User | None = None,
) -> Release:
    """Freeze these items as the next release; it becomes visible once it is complete.

    Raises Refusal if there is no name, if an item is not valid for its benchmark or appears twice, if a release with
    exactly this content exists already, or if an import or another release is being written.
    """
    planned_after = last_batch()
    name = name.strip()
    check_contents(benchmark, name, contents)
    digest = content_hash(contents)
    if same := release_with(benchmark.code, digest):
        raise Refusal(
            say(
                "Release {number} (“{name}”) holds exactly this: nothing was released.",
                number=same.number,
                name=same.name,
            )
        )
    release = Release(
        number=next_number(),
        benchmark=benchmark.code,
        name=name,
        content_hash=digest,
        how_made=dict(how_made or {}),
        created_by=admin,
    )
    told = along(say("Writing"), contents, of=len(contents))
    return freeze(release, release_rows(release, benchmark, told), planned_after=planned_after)


def check_contents(benchmark: Benchmark, name: str, contents: Sequence[Content]) -> None:
    """Raises Refusal, naming each bad item, if these cannot be released under this name."""
    check_name(name)
    if not contents:
        raise Refusal(say("There is nothing to release."))
    problems = list(problems_of(benchmark, contents))
    if problems:
        said = [say("Nothing was released."), *problems[:MOST_NAMED]]
        if len(problems) > MOST_NAMED:
            said.append(say_count(len(problems) - MOST_NAMED, "And {count:,} other.", "And {count:,} others."))
        raise Refusal(joined(said), status=400)


def problems_of(benchmark: Benchmark, contents: Iterable[Content]) -> Iterator[str]:
    """The problems of these items, each with the number of its item."""
    seen: dict[str, int] = {}
    for number, content in enumerate(contents, start=1):
        for problem in benchmark.problems(content):
            yield say("Item {number}: {problem}", number=number, problem=problem)
        first = seen.setdefault(content_key(benchmark.code, content), number)
        if first != number:
            yield say("Item {number} is the same as item {first}.", number=number, first=first)


def release_rows(release: Release, benchmark: Benchmark, contents: Iterable[Content]) -> Iterator[Insert]:
    """The rows of a release of these items."""
    numbered = (
        (content_key(benchmark.code, content), number, content) for number, content in enumerate(contents, start=1)
    )
    return instance_rows(release, numbered, partial(columns_of, benchmark))


def missing_rows(benchmark: Benchmark, contents: Iterable[Content]) -> Iterator[Insert]:
    """The rows of those of these items that do not exist, in no release yet."""
    for chunk in in_chunks(contents, LOOKED_UP):
        keyed = {content_key(benchmark.code, content): content for content in chunk}
        ids = instance_ids(keyed)
        missing = [(key, content) for key, content in keyed.items() if key not in ids]
        yield from new_instances(missing, partial(columns_of, benchmark), ids)


def columns_of(benchmark: Benchmark, content: Content) -> dict[str, object]:
    """The columns of an instance with this content."""
    return Instance.columns(benchmark.code, benchmark.listed(content), content)


def instance_lines(release: Release) -> Iterator[dict[str, object]]:
    """The instances of a release for programs, each as its benchmark has it."""
    line = kind_of(release.benchmark).line
    return (line(each.number, each.instance.content) for each in released_instances(release))
