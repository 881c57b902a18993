"""How far the annotators are, and Table 1: reports on what comes before any response."""

from annotation.models import Release
from annotation.progress import annotators_progress
from annotation.statistics import LABELS, table_1
from review.plots import amounts

from .layout import Cell, Column, Report, Section, Table
from .scope import Scope, counted

COUNTS = ("held", "drafts", "returned", "submitted", "accepted", "excluded")
NAMES = {
    "held": "Has now",
    "drafts": "Drafts",
    "returned": "Returned",
    "submitted": "Submitted",
    "accepted": "Accepted",
    "excluded": "Excluded",
}


def dataset_statistics(scope: Scope) -> Report:
    """Table 1 of the paper, of a release or of the accepted annotations as they stand now."""
    release: Release | None = scope.release
    counts = table_1(release).as_dict()
    rows = [[Cell(LABELS[name]), Cell(count)] for name, count in counts.items()]
    tags = counted(counts["verified_valid_tags"], "verified valid tag gives", "verified valid tags give")
    lead = (
        f"{tags} {counted(counts['annotated_instances'], 'instance', 'instances')}: "
        f"{counts['explicit']:,} with an explicit conflict, {counts['implicit']:,} with an implicit one."
    )
    return Report(
        title="Dataset statistics",
        lead=[lead] if counts["tags"] else (),
        sections=[
            Section(
                "",
                plots=[
                    amounts(
                        "Instances",
                        [
                            (LABELS[name], counts[name], f"{counts[name]:,}")
                            for name in ("yes_no_questions", "wh_questions", "explicit", "implicit")
                        ],
                    )
                ],
                table=Table("Dataset statistics", (Column("Statistic", words=True), Column("Count")), rows),
            )
        ],
        data=counts,
        records=[{"Statistic": LABELS[name], "Count": count} for name, count in counts.items()],
        empty="No annotation is accepted yet. Once some are, the counts of tags, instances and questions stand here.",
    )


def annotators_report(scope: Scope) -> Report:
    """What each annotator has written and what became of it; the scope does not narrow it."""
    rows = annotators_progress()
    accepted = sum(row.accepted for row in rows)
    waiting = sum(row.submitted for row in rows)
    sentence = (
        f"{counted(len(rows), 'annotator has', 'annotators have')} {counted(accepted, 'annotation', 'annotations')} "
        f"accepted; {waiting:,} wait for a second look."
    )
    columns = [Column("Annotator", words=True), *(Column(NAMES[name]) for name in COUNTS)]
    return Report(
        title="Progress of the annotators",
        lead=[sentence] if rows else (),
        sections=[
            Section(
                "",
                plots=[
                    amounts(
                        "Accepted annotations",
                        [(str(row.annotator), row.accepted, f"{row.accepted:,}") for row in rows],
                    )
                ],
                table=Table(
                    "Progress of the annotators",
                    columns,
                    [[Cell(str(row.annotator)), *(Cell(getattr(row, name)) for name in COUNTS)] for row in rows],
                ),
            )
        ],
        data={
            "annotators": [
                {"annotator": str(row.annotator), **{name: getattr(row, name) for name in COUNTS}} for row in rows
            ]
        },
        records=[{"annotator": str(row.annotator), **{name: getattr(row, name) for name in COUNTS}} for row in rows],
        empty="Nobody has the role annotator yet. Invite people; how far each one is then stands here.",
    )
