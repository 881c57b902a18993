"""The benchmark that is annotated here, entered when the app starts."""

from ..releases.files import formats
from . import registry
from .wikicontradict import benchmark as wikicontradict


def register_benchmarks() -> None:
    registry.register(wikicontradict.BENCHMARK)
    formats.register_on_use(wikicontradict.BENCHMARK.code, wikicontradict.own_formats)
