"""Write tags as Label Studio's tasks, with people's annotations, drafts and skips. Label Studio imports the file
into a project with the configuration that label_studio_config writes."""

from collections.abc import Iterator

from django.core.management.base import CommandParser

from core.files.commands import ExportCommand

from ...label_studio.exports import task_chunks


class Command(ExportCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--without-people",
            action="store_true",
            help="leave out the annotators' addresses: Label Studio refuses those that it does not know",
        )
        parser.add_argument(
            "--waiting-only",
            action="store_true",
            help="only tags that wait for an annotator: no imported records, and nothing that is annotated already",
        )

    def chunks(self, *, without_people: bool, waiting_only: bool, **options: object) -> Iterator[str]:  # type: ignore[override]
        return task_chunks(without_people=without_people, waiting_only=waiting_only)
