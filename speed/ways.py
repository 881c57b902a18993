"""Counts the files and returns of five ways through the code, each as one request or call in this process.

    python -m speed.ways

The ways: from a tag in the queue to the row of its claim; a saved draft; a verdict; a model's reply to its response;
from the scope of a report to Table 2. Each is traced once after a first time, when what a process keeps is made.
"Files" are the project's own that run, "functions" the functions in them, "returns" the pairs of a function and the
one to which it returns, and "hops" those of two files. Each pair counts once, however often it is run.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from speed.laboratory import ROOT, as_served
from speed.requests import Browser, Desk, database, make_world

APPS = tuple(f"{ROOT / name}{os.sep}" for name in ("core", "annotation", "judging", "review", "benchmarks", "config"))
TAGS = 1_000


@dataclass
class Way:
    """The project's code that ran."""

    files: set[str] = field(default_factory=set)
    functions: set[CodeType] = field(default_factory=set)
    returns: set[tuple[CodeType, CodeType]] = field(default_factory=set)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "return" or not is_ours(frame.f_code):
            return
        self.files.add(frame.f_code.co_filename)
        self.functions.add(frame.f_code)
        if frame.f_back is not None and is_ours(frame.f_back.f_code):
            self.returns.add((frame.f_code, frame.f_back.f_code))

    @property
    def hops(self) -> int:
        return sum(code.co_filename != caller.co_filename for code, caller in self.returns)


def is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(APPS)


@contextmanager
def traced(way: Way) -> Iterator[None]:
    sys.setprofile(way.note)
    try:
        yield
    finally:
        sys.setprofile(None)


def at_the_desk() -> Iterator[tuple[str, Callable[[], Any]]]:
    from core.models import User

    for name in ("person006", "person007"):
        desk = Desk(User.objects.get(username=name))
        yield "tag to row", desk.claim
        yield "draft", lambda desk=desk: desk.save("It opened in 1903.")


def at_judging() -> Iterator[tuple[str, Callable[[], Any]]]:
    from django.contrib.auth.models import Group
    from django.urls import reverse

    from core.models import Role, User
    from review.models import Round

    person = User.objects.filter(username__startswith="reviewer").order_by("pk")[0]
    person.groups.add(Group.objects.get(name=Role.REVIEWER))
    browser = Browser(person)
    values = {"verdict": "correct", "seconds": "20", "comment": "", "showing": ""}
    for _ in range(2):
        page, _ = browser.ask("GET", reverse("judge_round", args=[Round.objects.get().key]))
        key = re.findall(r'data-item="([^"]+)"', page.content.decode())[0]
        path = f"/review/judgments/{key}/"
        yield "verdict", lambda path=path: browser.ask("POST", path, values, **{"HX-Request": "true"})


def at_replies() -> Iterator[tuple[str, Callable[[], Any]]]:
    from judging.endpoints.replies import read_reply
    from judging.runs.calls.calls import ReadAhead, take_calls
    from judging.runs.calls.landing import Result, land
    from tests.factories.judging import make_model, make_run

    said = {"message": {"content": "The answer."}, "finish_reason": "stop"}
    raw = json.dumps({"choices": [said], "usage": {"prompt_tokens": 60, "completion_tokens": 5}}).encode()
    model = make_run(make_model(price_in=1, price_out=1), instances=2).language_models.get()
    for _ in range(2):
        [taken] = take_calls(ReadAhead(model), most=1)
        yield (
            "reply",
            lambda taken=taken: land(
                [Result(taken.key, taken.attempt, reply=read_reply(raw), model_id=taken.model.pk)]
            ),
        )


def at_reports() -> Iterator[tuple[str, Callable[[], Any]]]:
    from review.reports.registry import make_report
    from review.reports.scope import Scope

    for _ in range(2):
        yield "scope to Table 2", lambda: make_report("table2", Scope())


def ways() -> dict[str, Way]:
    """The last time of each way."""
    found: dict[str, Way] = {}
    for each in (at_the_desk(), at_judging(), at_reports(), at_replies()):
        for name, go in each:
            found[name] = Way()
            with traced(found[name]):
                go()
    return found


def main() -> None:
    with database(""):
        make_world(TAGS)
        as_served()
        print("| way | files | functions | returns | hops |\n|---|---:|---:|---:|---:|")
        for name, way in ways().items():
            print(f"| {name} | {len(way.files)} | {len(way.functions)} | {len(way.returns)} | {way.hops} |")


if __name__ == "__main__":
    main()
