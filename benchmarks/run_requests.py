"""The list of runs, the pages of two runs and what programs ask about them, as an admin asks for them."""

from collections.abc import Callable, Iterator
from typing import Any

WARM_UP = 3
# {answers} is a run in which models answer, {judged} one in which judge models have judged.
RUNS = [
    "/judging/runs/",
    "/judging/runs/{answers}/",
    "/judging/runs/{answers}/calls/",
    "/judging/runs/{answers}/calls/?state=failed",
    "/judging/responses/?run={answers}",
    "/judging/runs/{judged}/",
    "/judging/runs/{judged}/judgments/",
    "/judging/runs/{judged}/judgments/?show=differ",
    "/judging/runs/{judged}/judgments/?show=unreadable",
    "/judging/runs/{judged}/judgments/?page=last",
    "/judging/models/{model}/",
    "/api/v1/runs/",
    "/api/v1/runs/{answers}/",
    "/api/v1/runs/{judged}/",
    "/api/v1/runs/{answers}/calls/",
    "/api/v1/responses/?run={answers}",
]


def at_runs(browser: Callable[[Any], Any], answers: Any, judged: Any, times: int) -> Iterator[tuple[str, list[Any]]]:
    """Each counted anew: what the process keeps for a while is forgotten before each request."""
    from core.models import User
    from core.navigation import kept

    admin = browser(User.objects.get(username="person0"))
    named = {"answers": answers.pk, "judged": judged.pk, "model": judged.language_models.all()[0].pk}

    def ask(path: str) -> Any:
        kept._kept.clear()
        return admin.ask("GET", path)[1]

    for path in RUNS:
        yield path, [ask(path.format(**named)) for _ in range(times // 4 + WARM_UP)]
