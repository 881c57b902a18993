"""First pages and lists, as an admin and others ask for them: filters, sorts, searches, the last page."""

import re
from collections.abc import Callable, Iterator
from typing import Any

WARM_UP = 3
# By path: what is added to it. "last" follows the link to the last page.
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
# The first ones also for people who are no admins.
PAGES = [
    *("/", "/overview/"),
    *("/people/", "/annotation/progress/", "/judging/runs/", "/annotation/releases/", "/review/rounds/"),
]
FINDS_LAST = re.compile(r'href="(\?[^"]*(?:page=\d+|end=[^"]*|older_than=\d+))"')


def at_pages(browser: Callable[[Any], Any], times: int) -> Iterator[tuple[str, list[Any]]]:
    from core.models import User

    people = {"admin": "person0", "annotator": "person5", "reviewer": "person945"}
    for role, name in people.items():
        who = browser(User.objects.get(username=name))
        for path in PAGES if role == "admin" else PAGES[:2]:
            yield f"{path} ({role})", [who.ask("GET", path)[1] for _ in range(times // 2 + WARM_UP)]


def at_lists(browser: Callable[[Any], Any], times: int) -> Iterator[tuple[str, list[Any]]]:
    from django.contrib.auth.models import Group

    from core.models import Role, User
    from judging.models import LanguageModel, PromptTemplate, Response

    make_release()
    person = User.objects.get(username="person0")
    person.groups.add(Group.objects.get_or_create(name=Role.ADJUDICATOR)[0])
    admin = browser(person)
    named = {
        "person": User.objects.get(username="person7").pk,
        "model": LanguageModel.objects.get(name="Model 3").pk,
        "template": PromptTemplate.objects.get(pk=Response.objects.values_list("template")[:1]).pk,
    }
    for path, additions in LISTS.items():
        for added in additions:
            address = path + (last_page(admin, path) if added == "last" else added.format(**named))
            yield f"{path}{added}", [admin.ask("GET", address)[1] for _ in range(times // 4 + WARM_UP)]


def make_release() -> None:
    """All instances as one release, as the list of resolved passages needs it."""
    from annotation.models import Instance, Release, ReleasedInstance
    from benchmarks.large_queue import fill, first

    release = Release.objects.create(number=1, name="All", content_hash="0" * 64)
    count, start = Instance.objects.count(), first(Instance)
    fill(ReleasedInstance, count, release_id=str(release.pk), number="i + 1", instance_id=f"{start} + i")


def last_page(person: Any, path: str) -> str:
    """What the link to the list's last page adds to its address."""
    found = FINDS_LAST.findall(person.ask("GET", path)[0].content.decode())
    numbered = [(int(re.findall(r"page=(\d+)", link)[0]), link) for link in found if "page=" in link]
    link = max(numbered)[1] if numbered else found[-1] if found else "?"
    return str(link).replace("&amp;", "&")
