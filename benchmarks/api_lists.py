"""What lists of the API take on the server, with very many responses: p50 and p95 of the whole answer.

    python -m benchmarks.api_lists [--postgresql postgres://me@/postgres] [--responses 1000000] [--times 100]

The application answers in this process, through all its middleware, to a program with a token, on a database made for
it: responses of ten models to five templates. The time has the database's part in it.
"""

import argparse
import statistics
import time
from typing import Any

from benchmarks.laboratory import as_served, laboratory_on
from benchmarks.large_review import make_large_review

WARM_UP = 5
LISTS = (
    "responses/",
    "responses/?limit=200",
    "responses/?order=reversed",
    "responses/?page=last",
    "responses/?model={model}",
    "responses/?model={model}&template={template}&mark=complete",
    "responses/?q=When+did+bridge",
    "responses/?q=no+such+words",
    "people/",
    "activity/",
    "runs/",
    "rounds/",
    "models/",
    "templates/",
)


def program() -> Any:
    """A client with the token of an admin."""
    from django.contrib.auth.models import Group
    from django.test import Client

    from core.accounts.tokens import make_token
    from core.models import Role, User

    admin = User.objects.create(username="admin")
    admin.groups.add(Group.objects.get_or_create(name=Role.ADMIN)[0])
    _, token = make_token(person=admin, name="benchmark", may_administer=True)
    return Client(SERVER_NAME="localhost", headers={"Authorization": f"Bearer {token}"})


def measure(client: Any, path: str, times: int) -> tuple[list[float], int]:
    """Milliseconds of each answer, in order, and the rows of the last."""
    taken: list[float] = []
    for _ in range(times + WARM_UP):
        began = time.perf_counter()
        answer = client.get(f"/api/v1/{path}")
        taken.append((time.perf_counter() - began) * 1000)
        if answer.status_code != 200:
            raise SystemExit(f"{path}: {answer.status_code} {answer.content[:300]!r}")
    return sorted(taken[WARM_UP:]), len(answer.json()["results"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--postgresql", metavar="URL", default="", help="any database on the server in which one may be made"
    )
    parser.add_argument("--responses", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=100, help="requests of each kind")
    options = parser.parse_args()
    with laboratory_on(options.postgresql, API_REQUESTS_PER_MINUTE="0"):
        from django.db import connection

        began = time.perf_counter()
        make_large_review(options.responses, are_judged=False)
        print(
            f"{connection.vendor}: {options.responses:,} responses made in {time.perf_counter() - began:.0f} s",
            flush=True,
        )
        from judging.models import LanguageModel, Response

        named = {
            "model": LanguageModel.objects.get(name="Model 3").pk,
            "template": Response.objects.values_list("template", flat=True)[0],
        }
        as_served()
        client = program()
        for path in LISTS:
            taken, rows = measure(client, path.format(**named), options.times)
            p95 = taken[-(-95 * len(taken) // 100) - 1]
            print(f"{path:<62} {rows:4} rows  p50 {statistics.median(taken):7.1f}  p95 {p95:7.1f} ms", flush=True)
        connection.close()


if __name__ == "__main__":
    main()
