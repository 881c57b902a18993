"""The figures and counters as Prometheus reads them. Loaded with METRICS_TOKEN only."""

from collections.abc import Iterator

from . import counters  # isort: skip  # before the library, which it sets up
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from .figures import Figure, figures

CONTENT_TYPE = CONTENT_TYPE_LATEST


class Figures(Collector):
    """Collects the figures of the site."""

    def collect(self) -> Iterator[Metric]:
        by_name: dict[str, list[Figure]] = {}
        for figure in figures():
            by_name.setdefault(figure.name, []).append(figure)
        for name, alike in by_name.items():
            labels = list(alike[0].labels)
            family = GaugeMetricFamily(name, alike[0].about, labels=labels)
            for figure in alike:
                family.add_metric([figure.labels[label] for label in labels], figure.value)
            yield family


def exposition() -> bytes:
    """The text of the page /metrics/."""
    registry = CollectorRegistry()
    counters.register_sums(registry)
    registry.register(Figures())
    return generate_latest(registry)
