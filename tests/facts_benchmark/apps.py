from django.apps import AppConfig


class FactsConfig(AppConfig):
    name = "tests.facts_benchmark"
    label = "facts_benchmark"

    def ready(self) -> None:
        from benchmarks.benchmark import Benchmark, register

        from .items import FACTS
        from .questionnaires import TRUTH
        from .reports import REPORTS
        from .site import presentation
        from .tasks import EachOption

        register(
            Benchmark(items=FACTS, tasks=(EachOption(),), questionnaires=(TRUTH,), reports=REPORTS, site=presentation)
        )
