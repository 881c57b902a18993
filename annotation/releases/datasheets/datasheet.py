"""The datasheet of a release (after Gebru et al., "Datasheets for Datasets"), written from its frozen data.

Made only of the release's own rows and its line in the log, so that its text is always the same; except for its last
section, which appears after the tags have been checked for later changes.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

from ... import taxonomy
from ...assisting.model_suggestions import MachineShare
from ...content.fields import Content
from ...content.paper_record import BY_PROGRAM, FOUND_BY, RESULT, Record, content_of_result, family_of
from ...evidence.watch import release_states
from ...models import Family, Release, WatchState
from ..canonical import released_records
from ..sheet_parts import Section, Table
from .licences import NO_HOST, licence_words, licences_of
from .made_facts import making_sections
from .sources import source_rows
from .statistics import LABELS, table_1


@dataclass(slots=True)
class Tally:
    """Counts over the records: of tags, unless the name says otherwise."""

    families: Counter[str] = field(default_factory=Counter)
    articles: set[tuple[str, str]] = field(default_factory=set)
    wikis: Counter[str] = field(default_factory=Counter)
    # (Dimension code, option code) to tags; option "" if a valid tag has none in the dimension.
    types: Counter[tuple[str, str]] = field(default_factory=Counter)
    several: Counter[str] = field(default_factory=Counter)
    same_passage: int = 0
    found_by_program: int = 0
    valid: int = 0

    def add(self, record: Record) -> None:
        content = content_of_result(record[RESULT])
        title, url = record["title"], record.get("url") or ""
        if (title, url) not in self.articles:
            self.articles.add((title, url))
            self.wikis[_host(url)] += 1
        if record.get(FOUND_BY) == BY_PROGRAM:
            self.found_by_program += 1
        else:
            self.families[family_of(record.get("tag") or "")] += 1
        if content["wikitag_label_valid"] == "Valid":
            self.valid += 1
            self.same_passage += content["wikitag_label_samepassage"] == "Same"
            self._add_types(content)

    def _add_types(self, content: Content) -> None:
        for dimension in taxonomy.DIMENSIONS:
            codes = content[dimension.key]
            self.several[dimension.code] += len(codes) > 1
            for code in codes or [""]:
                self.types[dimension.code, code] += 1


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or NO_HOST
    except ValueError:
        return NO_HOST


def tally_of(release: Release) -> Tally:
    tally = Tally()
    for record in released_records(release):
        tally.add(record)
    return tally


def datasheet(release: Release, tally: Tally | None = None) -> list[Section]:
    """The datasheet; an existing `tally` saves reading the records again."""
    tally = tally or tally_of(release)
    return [
        identity(release),
        motivation(),
        _composition(release, tally),
        *_dimensions(tally),
        _collection(release, tally),
        *provenance(release),
        _uses(),
        _distribution(release, tally),
        *making_sections(release, found_by_program=tally.found_by_program),
        *_since(release),
    ]


class MakeSheet(Protocol):
    def __call__(self, release: Release, /) -> list[Section]:
        """Make the datasheet of a release. It holds public data only: nothing of people by name."""


_sheets: dict[str, MakeSheet] = {}


def register_sheet(benchmark: str, make: MakeSheet) -> None:
    """Register the function that makes the datasheets of a benchmark's releases."""
    _sheets[benchmark] = make


def sheet_of(release: Release) -> list[Section]:
    """The datasheet of a release of any benchmark."""
    return _sheets.get(release.benchmark, datasheet)(release)


def identity(release: Release, heading: str = "Datasheet") -> Section:
    """The first section: which release it is."""
    rows = [
        ("Release", f"{release.number}: {release.name}"),
        ("Frozen", f"{release.created_at:%Y-%m-%d %H:%M} UTC"),
        ("Content hash (SHA-256)", release.content_hash),
    ]
    notes = [line for line in (part.strip() for part in release.notes.splitlines()) if line]
    return Section(heading, notes, [Table(("", ""), rows)])


def provenance(release: Release) -> Iterator[Section]:
    """The source files of imported items; nothing without any."""
    if rows := list(source_rows(release)):
        yield Section("Sources of imported items", [], [Table(("", ""), rows)])


def motivation() -> Section:
    return Section(
        "Motivation",
        [
            "The instances measure how language models answer when what they are given contradicts itself. Each one"
            " is a question with two passages of Wikipedia that give different answers, found by means of a tag "
            "with which an editor marked the contradiction. The method is that of WikiContradict (NeurIPS 2024, "
            "Datasets and Benchmarks).",
        ],
    )


def _composition(release: Release, tally: Tally) -> Section:
    counts = table_1(release).as_dict()
    rows: list[tuple[str, str]] = [(LABELS[name], f"{count:,}") for name, count in counts.items()]
    rows += [
        ("Articles", f"{len(tally.articles):,}"),
        ("Valid tags whose two passages are the same", f"{tally.same_passage:,}"),
        ("Valid tags whose two passages differ", f"{tally.valid - tally.same_passage:,}"),
    ]
    families = [(Family(name).label, f"{tally.families[name]:,}") for name in Family.values]
    if tally.found_by_program:
        families.append(("None: found by the program, not tagged by an editor", f"{tally.found_by_program:,}"))
    return Section(
        "Composition",
        [
            "An instance is one question of a valid tag. A question counts as yes/no when its first word is is, "
            "did, was, does, can, do, are or has, and as a wh-question otherwise. Explicit and implicit count "
            "instances.",
            *_found_by_program(tally),
        ],
        [Table(("What", "Count"), rows), Table(("Family of the tag", "Tags"), families)],
    )


def _found_by_program(tally: Tally) -> Iterator[str]:
    if tally.found_by_program:
        yield (
            "Some tags were found by the program: it compared texts of an untagged page, and an admin sent what it "
            f"found to annotators, who checked it like an editor's tag. Their records have “{FOUND_BY}”: "
            f"“{BY_PROGRAM}”, an empty text of the tag, and as its reason what the program compared."
        )


def _dimensions(tally: Tally) -> Iterator[Section]:
    for dimension in taxonomy.DIMENSIONS:
        rows = [(option.display, f"{tally.types[dimension.code, option.code]:,}") for option in dimension.options]
        rows.append(("Not set", f"{tally.types[dimension.code, '']:,}"))
        several = tally.several[dimension.code]
        note = [f"Tags with more than one option: {several:,}; they count under each."] if several else []
        yield Section(f"{dimension.name} ({dimension.key})", note, [Table(("Option", "Valid tags"), rows)])


def _collection(release: Release, tally: Tally) -> Section:
    made = release.how_made
    rows = [("Articles from " + host, f"{count:,}") for host, count in sorted(tally.wikis.items())]
    if made:
        total = release.records.count()
        share = 100 * made["annotated_twice"] / total if total else 0
        rows += [
            ("Annotators", f"{made['annotators']:,}"),
            ("People who reviewed annotations", f"{made['reviewers']:,}"),
            ("Annotations imported from a file", f"{made['imported']:,}"),
            ("Tags annotated by two people or more", f"{made['annotated_twice']:,} ({share:.1f} %)"),
        ]
        if made.get("merged"):
            rows.append(("Of these, merged from several annotations", f"{made['merged']:,}"))
        rows += [(_guideline_words(version), f"{count:,}") for version, count in made.get("guidelines", [])]
        if made.get("drafted_fields"):
            rows.append(("Fields with text suggested by a model", _share(made, "drafted")))
        if made.get("ruled_fields"):
            rows.append(("Fields with text drafted by rule", _share(made, "ruled")))
        if made.get("counterparts_shown"):
            words = f"{made['counterparts_shown']:,} (one was taken in {made['counterparts_taken']:,})"
            rows.append(("Annotations for which counterparts of the tagged text were suggested", words))
        if made.get("counterparts_reranked"):
            rows.append(("Of these, re-ranked by a local model", f"{made['counterparts_reranked']:,}"))
    return Section(
        "Collection and annotation",
        [
            "Articles that carry a contradiction template were read, and each tag in them taken with its paragraph,"
            " date and reason. For each tag a person checked whether it is valid, picked out the two passages that "
            "contradict each other, made them understandable on their own, classified the contradiction in four "
            "dimensions, and wrote questions with the answer that each passage gives. A reviewer accepted each "
            "annotation before it could be released; imported annotations count as accepted where they came from.",
        ],
        [Table(("What", "Count"), rows)],
    )


def _guideline_words(version: int | None) -> str:
    if version is None:
        return "Annotations whose version of the guideline is not known"
    return f"Annotations by version {version} of the guideline{' (the published one)' if version == 1 else ''}"


def _share(made: dict[str, Any], kind: str) -> str:
    return MachineShare(*(made[f"{kind}_{name}"] for name in ("fields", "characters", "as_drafted"))).words


def _uses() -> Section:
    return Section(
        "Uses",
        [
            "Meant for measuring models that answer from retrieved or given text. Not meant as a source of facts: "
            "at least one of the two passages of each instance is wrong, outdated or imprecise, and the instance "
            "does not say which.",
        ],
    )


def _distribution(release: Release, tally: Tally) -> Section:
    return Section(
        "Distribution and licence",
        [
            *licence_words(licences_of(release, tally.wikis)),
            "The content hash is the SHA-256 of the release's JSON Lines file. A release never changes; a "
            "correction is a new release, in which an instance that stayed the same keeps its question_ID.",
        ],
    )


def _since(release: Release) -> Iterator[Section]:
    states = release_states(release)
    if not states:
        return
    rows = [(state.label, f"{states[state]:,}") for state in WatchState if states[state]]
    yield Section(
        "Since the articles were read",
        [
            "Editors keep working on the articles. At the last check, the state of this release's tags "
            f"({sum(states.values()):,} checked) was as follows. The text of the release stays as it was."
        ],
        [Table(("What was found", "Tags"), rows)],
    )


_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")


def escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def markdown(sections: list[Section], *, level: int = 1) -> str:
    """The datasheet as Markdown, its first heading of this level. Texts written by people cannot act as markup."""
    blocks = []
    for number, section in enumerate(sections):
        blocks.append(f"{'#' * (level + bool(number))} {escaped(section.heading)}")
        blocks += [escaped(paragraph) for paragraph in section.paragraphs]
        blocks += ["\n".join(_table_lines(table)) for table in section.tables]
    return "\n\n".join(blocks) + "\n"


def _table_lines(table: Table) -> Iterator[str]:
    yield "| " + " | ".join(map(escaped, table.header)) + " |"
    # Every column but the first holds numbers, unless there is no header.
    yield "| --- " + ("| ---: " if table.has_header else "| --- ") * (len(table.header) - 1) + "|"
    for row in table.rows:
        yield "| " + " | ".join(map(escaped, row)) + " |"
