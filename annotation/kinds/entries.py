"""The benchmarks that come with the project, entered when the app starts."""

from ..releases import formats
from . import registry
from .contradoc import files as contradoc
from .wikicontradict import benchmark as wikicontradict


def register_benchmarks() -> None:
    registry.register(wikicontradict.BENCHMARK)
    formats.register_on_use(wikicontradict.BENCHMARK.code, wikicontradict.own_formats)
    registry.register(contradoc.CONTRADOC)
    formats.register("json", contradoc.JSON, benchmark=contradoc.CONTRADOC.code)
