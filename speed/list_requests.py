"""First pages, lists, runs, reports and the API, as an admin and others ask for them."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from speed.laboratory import new_person
from speed.large.queue import fill, first

# The number of turns in which each door is requested; the first requests of each turn are not counted.
TURNS, WARM_UP = 8, 2
# Queries by path. "last" follows the link to the last page.
LISTS = {
    "/annotation/tags/": [
        "?",
        "?state=free",
        "?state=accepted",
        "?state=excluded",
        "?state=flagged",
        "?family=inconsistent",
        "?family=inconsistent&state=submitted",
        "?wiki=1",
        "?person={person}",
        "?q=Bridge+7",
        "?q=ridge",
        "?q=no+such+words",
        "?sort=newest",
        "?sort=queue",
        "?sort=queue&state=accepted",
        "last",
    ],
    "/judging/responses/": [
        "?",
        "?mark=refused",
        "?model={model}",
        "?template={template}",
        "?model={model}&template={template}&mark=complete",
        "?q=When+did+bridge",
        "?q=1903",
        "?q=no+such+words",
        "last",
    ],
    "/annotation/reviews/": ["?", "?state=accepted", "?state=not_chosen", "?mine=no", "last"],
    "/activity/": ["?", "?kind=tag", "?actor={person}", "last"],
    "/judging/resolved-passages/": ["?", "?show=to_do", "last"],
    "/review/reports/responses/": ["?", "last"],
    "/review/adjudicate/": ["?", "?show=decided", "last"],
    "/annotation/harvests/": ["?"],
    "/annotation/comments/": ["?"],
    "/people/": ["?", "last"],
    "/annotation/progress/": ["?", "last"],
}
# The first ones are also requested by people who are not admins.
PAGES = [
    *("/", "/overview/"),
    *("/annotation/work/", "/people/", "/annotation/progress/"),
    *("/judging/runs/", "/annotation/releases/", "/review/rounds/"),
]
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
# {model} and {template} are a model and a template of the responses.
API = [
    "responses/",
    "responses/?limit=200",
    "responses/?order=reversed",
    "responses/?page=last",
    "responses/?model={model}",
    "responses/?model={model}&template={template}&mark=complete",
    "responses/?q=When+did+bridge",
    "responses/?q=no+such+words",
    *("people/", "activity/", "runs/", "rounds/", "models/", "templates/"),
]
# {prompt} is prompt template 4.
REPORTS = [
    "table2/",
    "comparison/?by=template",
    "comparison/?by=pooled",
    "weeks/",
    *(f"agreement/?by={part}" for part in ("template", "model", "reasoning", "reviewers")),
    "responses/?template={prompt}&verdict=correct",
]
AGREEMENT = [f"annotator-agreement/{form}" for form in ("", "?by=people", "download/json/", "download/csv/")]
# {one} and {other} are two people who share tags, {type} is a contradiction type.
LEADING = [
    *(
        f"/review/annotations/disagreements/{query}"
        for query in (
            "",
            "?field=validity",
            "?field=questions",
            "?type={type}",
            "?family=inconsistent",
            "?family=contradict-other",
            "?family=self-contradictory",
            "?person={one}",
            "?person={one}&other={other}",
            "?field=validity&type={type}&person={one}",
            "?page=last",
        )
    ),
    "/review/people/{one}/quality/",
    "/annotation/workload/",
    "/annotation/workload/?q=person00",
]
FINDS_LAST = re.compile(r'href="(\?[^"]*(?:page=\d+|end=[^"]*|older_than=\d+))"')


def in_turns(door: str, ask: Callable[[], Any], times: int) -> Iterator[tuple[str, list[Any]]]:
    for _ in range(TURNS):
        yield door, [ask() for _ in range(times + WARM_UP)]


def ask(browser: Any, address: str) -> Any:
    return browser.ask("GET", address)[1]


def at_pages(browser: Callable[[Any], Any], times: int) -> Iterator[tuple[str, list[Any]]]:
    from core.models import User

    people = {"admin": "person000", "annotator": "person005", "reviewer": "person945"}
    for role, name in people.items():
        who = browser(User.objects.get(username=name))
        for path in PAGES if role == "admin" else PAGES[:2]:
            yield from in_turns(f"{path} ({role})", partial(ask, who, path), times)


def at_lists(browser: Callable[[Any], Any], times: int) -> Iterator[tuple[str, list[Any]]]:
    from django.contrib.auth.models import Group

    from core.models import Role, User

    make_release()
    person = User.objects.get(username="person000")
    person.groups.add(Group.objects.get_or_create(name=Role.ADJUDICATOR)[0])
    admin, named = browser(person), {"person": User.objects.get(username="person007").pk, **of_responses()}
    for path, additions in LISTS.items():
        for added in additions:
            address = path + (last_page(admin, path) if added == "last" else added.format(**named))
            yield from in_turns(f"{path}{added}", partial(ask, admin, address), times)


def of_responses() -> dict[str, int]:
    from judging.models import LanguageModel, PromptTemplate, Response

    return {
        "model": LanguageModel.objects.get(name="Model 3").pk,
        "template": Response.objects.values_list("template", flat=True)[0],
        "prompt": PromptTemplate.objects.get(code="4", version=1).pk,
    }


def at_api(browser: Callable[[Any], Any], times: int) -> Iterator[tuple[str, list[Any]]]:
    admin, named = browser(new_person("admin")), of_responses()
    for path in API:
        address = f"/api/v1/{path.format(**named)}"
        yield from in_turns(path, partial(ask, admin, address), times)


def at_reports(
    browser: Callable[[Any], Any], person: Any, paths: list[str], times: int
) -> Iterator[tuple[str, list[Any]]]:
    reader = browser(person)
    for path in paths:
        address = f"/review/reports/{path}"
        if "{" in path:
            address = address.format(**of_responses())
        yield from in_turns(path, partial(ask, reader, address), times)


def at_leading(browser: Callable[[Any], Any], person: Any, times: int) -> Iterator[tuple[str, list[Any]]]:
    """The pages for those who lead annotators."""
    from annotation.reviewing.disagreements import TYPES
    from core.models import User

    admin = browser(person)
    one, other = User.objects.filter(username__in=["person001", "person002"]).values_list("pk", flat=True)
    for path in LEADING:
        address = path.format(one=one, other=other, type=TYPES[0][1][0][0])
        yield from in_turns(path, partial(ask, admin, address), times)


def at_runs(browser: Callable[[Any], Any], answers: Any, judged: Any, times: int) -> Iterator[tuple[str, list[Any]]]:
    """The requests, each counted anew: cached values of the process are cleared before each request."""
    from core.engine import counted as kept
    from core.models import User

    admin = browser(User.objects.get(username="person000"))
    named = {"answers": answers.pk, "judged": judged.pk, "model": judged.language_models.all()[0].pk}

    def ask_anew(address: str) -> Any:
        kept._kept.clear()
        return ask(admin, address)

    for path in RUNS:
        yield from in_turns(path, partial(ask_anew, path.format(**named)), times)


def make_release() -> None:
    """Make a release of all instances, for the list of resolved passages."""
    from annotation.models import Instance, Release, ReleasedInstance

    release = Release.objects.create(number=1, benchmark="wikicontradict", name="All", content_hash="0" * 64)
    count, start = Instance.objects.count(), first(Instance)
    fill(ReleasedInstance, count, release_id=str(release.pk), number="i + 1", instance_id=f"{start} + i")


def last_page(person: Any, path: str) -> str:
    """The query of the link to the list's last page."""
    found = FINDS_LAST.findall(person.ask("GET", path)[0].content.decode())
    numbered = [(int(re.findall(r"page=(\d+)", link)[0]), link) for link in found if "page=" in link]
    link = max(numbered)[1] if numbered else found[-1] if found else "?"
    return str(link).replace("&amp;", "&")
