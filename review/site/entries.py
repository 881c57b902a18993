"""The sites of benchmarks' releases. An app above registers its own additions to the defaults."""

from typing import Protocol

from annotation.kinds.registry import is_annotated
from annotation.models import Release
from annotation.releases.datasheets import datasheet
from annotation.releases.files import formats

from ..kinds.presentation import Presentation


class MakePresentation(Protocol):
    def __call__(self) -> Presentation:
        """Return the presentation of a benchmark. Called on use, so that its imports are not loaded at start."""


_presentations: dict[str, MakePresentation] = {}


def register(benchmark: str, presentation: MakePresentation) -> None:
    """Register the site of a registered benchmark. Releases that are not made of annotations get its sheet as their
    datasheet.

    Args:
        benchmark: the benchmark's code.
        presentation: returns the presentation.
    """
    _presentations[benchmark] = presentation
    if is_annotated(benchmark):
        return
    datasheet.register_sheet(benchmark, data_sheet)
    words = "the datasheet, in Markdown"
    formats.register("datasheet", formats.FileFormat(words, "-datasheet.md", sheet_text), benchmark=benchmark)


def presentation_of(benchmark: str) -> Presentation:
    """The benchmark's presentation; the default if none is registered."""
    return _presentations.get(benchmark, Presentation)()


def data_sheet(release: Release) -> list[datasheet.Section]:
    return presentation_of(release.benchmark).sheet(release)


def sheet_text(release: Release) -> list[str]:
    return [datasheet.markdown(data_sheet(release))]
