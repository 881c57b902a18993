"""WikiContradict as a benchmark: releases of accepted annotations, and their files."""

from collections.abc import Mapping
from typing import Any

from ...content.instances import Conflict, csv_row
from ...models import Instance, Release
from ...releases.canonical import listed
from ...releases.formats import ReleaseFormat
from ...releases.statistics import LABELS, table_1
from ..registry import Benchmark, Counts
from . import item


def _table_1(release: Release) -> Counts:
    return [(LABELS[name], count) for name, count in table_1(release).as_dict().items()]


def _about(instance: Instance) -> Mapping[str, Any]:
    return {"conflict": Conflict.of(instance)}


QUOTABLE = {
    "article_title": "Article",
    "answer_1": "Answer by passage 1",
    "answer_2": "Answer by passage 2",
    "passage_1": "Passage 1",
    "passage_2": "Passage 2",
}


def _quotable(content: Mapping[str, Any]) -> Mapping[str, tuple[str, str]]:
    return {name: (label, content[name]) for name, label in QUOTABLE.items()}


BENCHMARK = Benchmark(
    code=item.CODE,
    name="WikiContradict",
    is_annotated=True,
    listed=listed,
    problems=item.problems,
    line=csv_row,
    fields=item.fields,
    statistics=_table_1,
    template="annotation/_instance_passages.html",
    about=_about,
    quotable=_quotable,
)


def own_formats() -> Mapping[str, ReleaseFormat]:
    """The forms of its releases."""
    from ...releases.exports import RELEASE_FORMATS
    from ...releases.huggingface.folder import HUGGINGFACE

    return {**RELEASE_FORMATS, "huggingface": HUGGINGFACE}
