"""Imports and exports ConflictBank's released file: JSON Lines, each a record of 26 fields. Imported records are
exported as equal JSON, in their order. Claims with their evidence can be exported, too.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

from annotation.kinds.registry import Benchmark, FileIn, benchmark
from annotation.kinds.signatures import Counts
from annotation.models import Listed, Release
from annotation.releases.canonical import CHUNK
from annotation.releases.files.formats import FileFormat
from annotation.releases.items.importing import ImportInBatches
from annotation.releases.items.releasing import content_key
from core.files.problems import ShapeError
from core.files.records import read_lines
from core.files.skipping import Skipped
from core.files.writing import json_lines
from core.languages import joined, say
from core.models import User

from . import items as item
from .items import CODE, Content

# The fields that pages show as they are.
SHOWN = (item.RELATION, item.SUBJECT, item.DESCRIPTION, item.SEMANTIC_DESCRIPTION)


def import_items(
    stream: BinaryIO,
    *,
    name: str = "",
    admin: User | None = None,
    check_only: bool = False,
    skipped: Skipped | None = None,
    revision: str = "",
    licence: str = "",
    most_bytes: int | None = None,
) -> "ItemImport":
    """Read the released shape into a new release; returns the result.

    A file that a release holds exactly changes nothing. With `check_only` nothing is written. Raises Refusal, having
    written nothing and naming every bad line, if one is no item or a duplicate. With `skipped`, bad lines go
    there, and the others are released.

    Args:
        licence: that of the file's texts, which datasheets and exports name.
        most_bytes: the largest size of the file; if None, the setting's.
    """
    how: dict[str, Any] = {"check_only": check_only, "skipped": skipped, "revision": revision, "licence": licence}
    found = ItemImport(benchmark(CODE), name=name, admin=admin, **how)
    found.most_bytes = most_bytes
    return found.bring_in(stream)


class ItemImport(ImportInBatches):
    def records(self, parts: Iterator[str]) -> Iterator[tuple[int, Any]]:
        return read_lines(parts)

    def name(self, where: int, record: Any) -> str:
        return say("Line {line}", line=where)

    def check(self, record: Any) -> None:
        if problems := item.problems(record):
            raise ShapeError("", joined(problems, "; "))

    def called(self, content: Content) -> str:
        return content_key(CODE, content)

    def twice(self, name: str, first: int) -> str:
        return f"it is the same as item {first:,}"

    def notes(self) -> Iterator[str]:
        if self.new:
            yield "The texts of conflict evidence are made to mislead: they are not true."


# --- Out ------------------------------------------------------------------------------------------------------------


def contents_of(release: Release) -> Iterator[Content]:
    """The contents of a release, in its order."""
    rows = release.released_instances.order_by("number").values_list("instance__content", flat=True)
    return rows.iterator(chunk_size=CHUNK)


def item_chunks(release: Release) -> Iterator[str]:
    """The release in the released shape, one record per line."""
    return json_lines(map(item.record_of, contents_of(release)))


def claim_chunks(release: Release) -> Iterator[str]:
    """The claims of the release with their evidence, one per line: four for each item. `id` is the number of the
    item in the release, so that only `id` and `category` together identify a line.
    """
    return json_lines(
        row for number, content in enumerate(contents_of(release), 1) for row in claims_of(number, content)
    )


def claims_of(number: int, content: Content) -> Iterator[dict[str, Any]]:
    """The four claims of an item with their evidence."""
    for kind, category in item.CATEGORIES.items():
        yield {
            "id": number,
            "subject": content[item.SUBJECT],
            "claim": item.claim(content, kind),
            "category": category,
            "evidence": item.evidence(content, kind),
        }


# --- The benchmark --------------------------------------------------------------------------------------------------


def _listed(content: Content) -> Listed:
    """Its group is the subject, its category the relation, and its subcategory the styles of its evidence."""
    styles = "/".join(item.style(content, kind) for kind in item.KINDS)
    group, relation = content[item.SUBJECT][: item.LONGEST_GROUP], content[item.RELATION][: item.LONGEST_GROUP]
    return Listed(content[item.QUESTION], group, relation, styles)


def _counts(release: Release) -> Counts:
    """The numbers of a release: items, relations, and those with “uncertain” among their options."""
    relations: set[str] = set()
    count = uncertain = 0
    for content in contents_of(release):
        count += 1
        relations.add(content[item.RELATION])
        uncertain += not item.is_four_objects(content)
    return [
        ("Items", count),
        ("Relations", len(relations)),
        ("Items with the option “uncertain”", uncertain),
        ("Claims with evidence", len(item.KINDS) * count),
    ]


def about_content(content: Content) -> dict[str, Any]:
    letters = {
        content[item.CORRECT_OPTION]: "default",
        content[item.REPLACE_OPTION]: "replaced",
        content[item.UNCERTAIN_OPTION]: "uncertain",
    }
    return {
        "options": [
            {"letter": letter, "text": text, "role": letters.get(letter, "")}
            for letter, text in zip(item.LETTERS, content[item.OPTIONS], strict=True)
        ],
        "claims": [
            {
                "kind": kind,
                "claim": item.claim(content, kind),
                "style": item.STYLES[item.style(content, kind)],
                "evidence": item.evidence(content, kind),
                "misleads": kind != item.DEFAULT,
            }
            for kind in item.KINDS
        ],
        "span": " to ".join(content[item.SPAN]),
        **{name: content[name] for name in SHOWN},
    }


# The texts of an item that a comment can quote, as the choice is named.
QUOTED = {
    item.DEFAULT: say("The default evidence"),
    item.MISINFORMATION: say("The misinformation evidence"),
    item.TEMPORAL: say("The temporal evidence"),
    item.SEMANTIC: say("The semantic evidence"),
}


def _quotable(content: Content) -> dict[str, tuple[str, str]]:
    return {f"{kind}_evidence": (QUOTED[kind], item.evidence(content, kind)) for kind in item.KINDS}


RELEASED, OF_CLAIMS = "qa", "claims"
QA = FileFormat("the released shape; imported records come out equal as JSON", ".qa.jsonl", item_chunks)
CLAIMS = FileFormat(
    "claims with their evidence: id, subject, claim, category, evidence", ".claims.jsonl", claim_chunks
)
FILE_IN = FileIn(
    "ConflictBank (JSON Lines)",
    (
        say("The released shape: one item per line, with its 26 fields. The items become a new release."),
        say(
            "A file is imported as a whole or not at all, and every line that cannot be imported is named. A file "
            "that a release holds already changes nothing."
        ),
        say(
            "The conflict evidence in such a file is made to mislead. It is shown with that label, and never as a "
            "suggestion to annotators."
        ),
    ),
    import_items,
    ending="jsonl",
    content_type="application/jsonl",
)
CONFLICTBANK = Benchmark(
    code=CODE,
    name="ConflictBank",
    summary=say("Claims that conflict with facts, with evidence made to mislead. It measures whom models believe."),
    begins="facts",
    listed=_listed,
    problems=item.problems,
    statistics=_counts,
    template="conflictbank/_item.html",
    about=lambda instance: about_content(instance.content),
    quotable=_quotable,
    file_in=FILE_IN,
    item_format=RELEASED,
)
