"""The same work with Label Studio: import of tasks, next task, submission, by people who do not pause.

Label Studio runs from a separate environment with its defaults: SQLite, and the server of `label-studio start`. Its
pages are scripts, so a page is the JSON of the next task here.
"""

import asyncio
import json
import os
import re
import time
import urllib.parse
from collections import Counter
from pathlib import Path
from typing import Any

from tests.servers.services import free_port

from .http import Book, Browser
from .servers import Server

PASSWORD = "only-for-this-run"
CHOICES = {
    "validity": ["Valid", "Invalid"],
    "same_passage": ["Same", "Different"],
    "semantic": ["DATE", "NUMBER", "NAME", "OTHER"],
    "modality": ["TT", "TI", "IT", "II"],
    "origin": ["SAME", "DIFFERENT"],
    "reasoning": ["EXP", "IMP"],
    "confidence": ["1", "2", "3", "4", "5"],
}
TEXTS = [
    *(f"passage_{n}_{part}" for n in (1, 2) for part in ("article", "text", "standalone", "statement", "span")),
    *("comment", "question", "answer_1", "answer_2"),
]


def label_config() -> str:
    choices = "".join(
        f'<Choices name="{name}" toName="text">'
        + "".join(f"<Choice value={json.dumps(value)}/>" for value in values)
        + "</Choices>"
        for name, values in CHOICES.items()
    )
    texts = "".join(f'<TextArea name="{name}" toName="text"/>' for name in TEXTS)
    return f'<View><Text name="text" value="$text"/>{choices}{texts}</View>'


def result() -> list[dict[str, Any]]:
    """A form with as many filled fields as a complete one of ours."""
    chosen = [
        {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [values[0]]}}
        for name, values in CHOICES.items()
    ]
    written = [
        {
            "from_name": name,
            "to_name": "text",
            "type": "textarea",
            "value": {"text": ["It opened in 1903, they say."]},
        }
        for name in TEXTS
    ]
    return chosen + written


def label_studio(command: str, folder: Path) -> Server:
    data = folder / "label-studio"
    data.mkdir()
    port = free_port()
    os.environ.update(LABEL_STUDIO_BASE_DATA_DIR=str(data), COLLECT_ANALYTICS="0", LATEST_VERSION_CHECK="0")
    arguments = [
        "start",
        "--no-browser",
        "--port",
        str(port),
        "--log-level",
        "ERROR",
        "--username",
        "admin@example.org",
    ]
    return Server("web", [command, *arguments, "--password", PASSWORD], folder, port=port, patience=900)


class Person:
    """One account."""

    def __init__(self, port: int, session: str, token: str, book: Book):
        self.browser = Browser(port, session, book, token=token)
        self.seen: Counter[int] = Counter()
        self.acknowledged: list[int] = []

    async def label_without_pause(self, project: int, until: float) -> None:
        while time.monotonic() < until:
            answer = await self.browser.get("next", f"/api/projects/{project}/next")
            task = answer.json()["id"]
            self.seen[task] += 1
            sent = {"result": result(), "lead_time": 20, "was_cancelled": False}
            answer = await self.browser.post_json("submit", f"/api/tasks/{task}/annotations/?project={project}", sent)
            self.acknowledged.append(answer.json()["id"])


async def sign_up(port: int, number: int, book: Book) -> Person:
    """A new account. The first one makes the organisation, which the others join."""
    plain = Browser(port, "", book)
    page = await plain.get("sign-up", "/user/signup/")
    token = cookie(page.headers["set-cookie"], "csrftoken")
    form = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text())
    email = f"person{number}@example.org"
    values = {"csrfmiddlewaretoken": form[1] if form else token, "email": email, "password": PASSWORD}
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={token}"}
    plain.connection.head = "Accept: */*\r\n"
    sent = urllib.parse.urlencode(values | {"allow_newsletters": "false"}).encode()
    answer = await plain.ask("sign-up", "POST", "/user/signup/", sent, headers)
    set_cookies = answer.headers["set-cookie"]
    plain.connection.close()
    return Person(port, cookie(set_cookies, "sessionid"), cookie(set_cookies, "csrftoken") or token, book)


def cookie(headers: str, name: str) -> str:
    found = re.search(rf"{name}=([^;,\s]+)", headers)
    return found[1] if found else ""


async def make_project(admin: Person, tasks: int) -> tuple[int, float]:
    """The project's number, and the seconds that the import of its tasks took."""
    sent = {"title": "Bridges", "label_config": label_config(), "maximum_annotations": 1}
    project = (await admin.browser.post_json("project", "/api/projects/", sent)).json()["id"]
    text = "The bridge opened in 1903 after nine years of work. {{Inconsistent}} It was closed in 1899."
    rows = [{"data": {"text": f"{text} {number}"}} for number in range(tasks)]
    started = time.monotonic()
    await admin.browser.post_json("import", f"/api/projects/{project}/import", rows, patience=300)
    return project, time.monotonic() - started


def play_label_studio(server: Server, numbers: list[int], seconds: float, tasks: int) -> list[str]:
    """Measure Label Studio; returns rows like those for this program, and a line about tasks handed out or stored
    twice.
    """

    async def played() -> list[str]:
        people = [await sign_up(server.port, number, Book()) for number in range(max(numbers))]
        project, took = await make_project(people[0], tasks)
        rows = [f"import of {tasks:,} tasks: {took:.1f} s"]
        for number in numbers:
            rows.append(await phase(server, project, people[:number], seconds))
        seen = sum((each.seen for each in people), Counter())
        twice = sum(count > 1 for count in seen.values())
        rows.append(f"handed out: {len(seen):,} tasks, {twice:,} of them more than once")
        return rows

    return asyncio.run(played())


async def phase(server: Server, project: int, people: list[Person], seconds: float) -> str:
    book = Book()
    for each in people:
        each.browser.book = book
    cpu, client, since = server.cpu(), time.process_time(), time.monotonic()
    until = since + seconds
    await asyncio.gather(*(each.label_without_pause(project, until) for each in people))
    own, used = time.process_time() - client, server.cpu() - cpu
    done = max(1, len(book.times["submit"]))
    times = "; ".join(
        f"{kind} {book.percentile(kind, 50):,.0f}, {book.percentile(kind, 95):,.0f}" for kind in ("next", "submit")
    )
    rate = book.per_second("submit", since, until)
    failed = f"{book.unanswered.total()}, {book.refused.total()}"
    return (
        f"| submit | Label Studio, SQLite | {len(people)} | {rate:.1f} | {times} | "
        f"{1000 * used / done:.1f} | {1000 * own / done:.1f} | {failed} | {server.memory():.0f} |"
    )
