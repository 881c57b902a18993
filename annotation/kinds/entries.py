"""The benchmarks that come with the project, entered when the app starts."""

from ..releases import formats
from . import registry
from .contradoc import files as contradoc


def register_benchmarks() -> None:
    registry.register(contradoc.CONTRADOC)
    formats.register("json", contradoc.JSON, benchmark=contradoc.CONTRADOC.code)
