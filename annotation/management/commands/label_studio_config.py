"""Write the paper's labelling configuration for Label Studio, for pasting into a project's Labeling Interface."""

from collections.abc import Iterator

from core.files.commands import ExportCommand

from ...label_studio.config import labelling_config


class Command(ExportCommand):
    help = __doc__

    def chunks(self, **options: object) -> Iterator[str]:
        yield labelling_config()
