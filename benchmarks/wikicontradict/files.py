"""WikiContradict as a benchmark: releases of accepted annotations, and their files."""

from collections.abc import Mapping

from annotation.content.instances import Conflict, csv_row
from annotation.kinds.registry import Benchmark
from annotation.releases.canonical import listed
from annotation.releases.datasheets.statistics import LABELS, table_1
from annotation.releases.files.formats import ReleaseFormat
from core.languages import say

from . import items as item

QUOTABLE = {
    "article_title": say("Article"),
    "answer_1": say("Answer by passage 1"),
    "answer_2": say("Answer by passage 2"),
    "passage_1": say("Passage 1"),
    "passage_2": say("Passage 2"),
}

WIKICONTRADICT = Benchmark(
    code=item.CODE,
    name="WikiContradict",
    summary=say("Questions about passages of Wikipedia that contradict each other, found by its editors' tags."),
    begins="tags",
    is_annotated=True,
    item_format="json",
    listed=listed,
    problems=item.problems,
    line=csv_row,
    fields=item.fields,
    statistics=lambda release: [(LABELS[name], count) for name, count in table_1(release).as_dict().items()],
    template="annotation/_instance_passages.html",
    about=lambda instance: {"conflict": Conflict.of(instance)},
    quotable=lambda content: {name: (label, content[name]) for name, label in QUOTABLE.items()},
)


def own_formats() -> Mapping[str, ReleaseFormat]:
    """The export formats of its releases."""
    from annotation.releases.files.exports import RELEASE_FORMATS
    from annotation.releases.huggingface.folder import HUGGINGFACE

    return {**RELEASE_FORMATS, "huggingface": HUGGINGFACE}
