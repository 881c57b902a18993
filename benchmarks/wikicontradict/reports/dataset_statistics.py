"""Table 1 of the paper: tags, instances and questions of a release."""

from django.urls import reverse

from annotation.models import Release
from annotation.releases.datasheets.statistics import LABELS, table_1
from annotation.tags.states import TagState
from core.languages import say
from core.words import plural
from review.reports.drawing.plots import amounts
from review.reports.layout import Cell, Column, Report, Section, Table
from review.reports.links import tag_list
from review.reports.scope import Scope


def dataset_statistics(scope: Scope) -> Report:
    """Table 1 of the paper, for a release or for the accepted annotations in their current state."""
    release: Release | None = scope.release
    counts = table_1(release, reader=scope.reader).as_dict()
    accepted = tag_list(state=TagState.ACCEPTED.value)
    href = reverse("release", args=[release.number]) if release else accepted
    rows = [[Cell(LABELS[name]), Cell(count, href=href)] for name, count in counts.items()]
    lead = say(
        "{tags} {instances}: {explicit:,} with an explicit conflict, {implicit:,} with an implicit one.",
        tags=plural(counts["verified_valid_tags"], "verified valid tag gives", "verified valid tags give"),
        instances=plural(counts["annotated_instances"], "instance"),
        explicit=counts["explicit"],
        implicit=counts["implicit"],
    )
    return Report(
        title=say("Dataset statistics"),
        lead=[lead] if counts["tags"] else (),
        sections=[
            Section(
                "",
                plots=[
                    amounts(
                        say("Instances"),
                        [
                            (LABELS[name], counts[name], f"{counts[name]:,}")
                            for name in ("yes_no_questions", "wh_questions", "explicit", "implicit")
                        ],
                    )
                ],
                table=Table(
                    say("Dataset statistics"), (Column(say("Statistic"), words=True), Column(say("Count"))), rows
                ),
            )
        ],
        data=counts,
        records=[{"Statistic": LABELS[name], "Count": count} for name, count in counts.items()],
        empty=say(
            "No annotation is accepted yet. Once some are, the counts of tags, instances and questions appear here."
        ),
    )
