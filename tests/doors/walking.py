"""Walks through many doors in worlds that differ in one act of another person, and says which doors tell of it.

An answer is made of what its queries return, of the roles and of the time, which stands still. So every door is
walked through in the world in which nothing was done. In each other world its queries are asked again; where all of
them return the same as in a world before, so does the door, and where one does not, the door is walked through again.
The answers are compared byte for byte. What the frame of every page asks is looked at on one page only.
"""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from http.cookies import SimpleCookie
from typing import Any
from unittest import mock

from django.db import DatabaseError, connection, transaction
from django.test import Client

Door = Callable[[Client], Any]
# The page on which the frame is looked at.
FRAME = "GET /account/"
# One for all doors: each new one would look through all static files. Its cookies are set anew for each door.
CLIENT = Client()
# Headers that differ from one request to the next.
CLOCK_AND_TOKEN = ("Expires", "Set-Cookie", "X-Request-ID")
# Others write to the disk meanwhile, and *System* says how much of it is free.
DISK = shutil.disk_usage("/")
# Drawn anew each time a page is shown: the token against forged forms, and a desk form's own number.
DRAWN = re.compile(rb'"[A-Za-z0-9]{64}"|name="operation" value="[0-9a-f-]{36}"')


def seen(door: Callable, client: object) -> tuple:
    """Status, headers and body: what reaches the person."""
    with mock.patch.object(shutil, "disk_usage", return_value=DISK):
        answer = door(client)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    headers = sorted((name, value) for name, value in answer.headers.items() if name not in CLOCK_AND_TOKEN)
    return answer.status_code, headers, DRAWN.sub(b"", body)


@dataclass(frozen=True)
class Query:
    """A statement as it was sent; two with the same name ask the same."""

    sql: str
    params: Any
    many: bool

    @cached_property
    def name(self) -> str:
        return repr((self.sql, self.params, self.many))

    @cached_property
    def only_reads(self) -> bool:
        return self.sql.startswith("SELECT")


@dataclass(frozen=True)
class Walked:
    """The result of a door, its queries, and their answers."""

    shown: tuple
    asked: list[Query]
    answers: list | None


class World:
    """The database as it is now. What only reads is asked once, however many doors ask it."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    def differs(self, was: Walked) -> bool:
        """Return whether anything that a door asked elsewhere is answered differently here, or was refused there."""
        if was.answers is None:
            return True
        if not only_reads(was.asked):
            return self.answers_to(was.asked) != was.answers
        pairs = zip(was.asked, was.answers, strict=True)
        try:
            return any(self._read(query) != answer for query, answer in pairs)
        except DatabaseError:
            return True

    def answers_to(self, asked: list[Query]) -> list | None:
        """The results of these queries, one after the other; None where one of them is refused."""
        answers, written = [], False
        try:
            with transaction.atomic():
                for query in asked:
                    written = written or not query.only_reads
                    answers.append(_answer(query) if written else self._read(query))
                transaction.set_rollback(True)
        except DatabaseError:
            return None
        return answers

    def _read(self, query: Query) -> Any:
        """Its result before anything is written."""
        if query.name not in self.known:
            with transaction.atomic():
                self.known[query.name] = _answer(query)
        return self.known[query.name]


def _answer(query: Query) -> Any:
    with connection.cursor() as cursor:
        (cursor.executemany if query.many else cursor.execute)(query.sql, query.params)
        if query.sql.startswith("INSERT"):  # which number its own new row gets tells a person nothing
            return len(cursor.fetchall()) if cursor.description else cursor.rowcount
        return cursor.fetchall() if cursor.description else cursor.rowcount


def only_reads(asked: list[Query]) -> bool:
    return all(query.only_reads for query in asked)


def walk(door: Door, cookies: SimpleCookie) -> tuple[tuple, list[Query]]:
    """Go through the door as if it were the first one; afterwards nothing has happened. What it showed, with the
    number of its queries, as time would tell of them; and these queries."""
    asked: list[Query] = []
    CLIENT.cookies = SimpleCookie(cookies.output(header="", sep=";"))

    def note(execute, sql, params, many, context):
        asked.append(Query(sql, params, many))
        return execute(sql, params, many, context)

    numbers = numbers_given()
    with transaction.atomic():
        with connection.execute_wrapper(note):
            shown = seen(door, CLIENT)
        transaction.set_rollback(True)
    take_back_numbers(numbers)
    return (*shown, len(asked)), asked


def numbers_given() -> dict[str, int | None]:
    """The last number that PostgreSQL gave to a row, by sequence; SQLite takes them back with the rows."""
    if connection.vendor != "postgresql":
        return {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(sequencename), last_value FROM pg_sequences WHERE schemaname = 'public'")
        return dict(cursor.fetchall())


def take_back_numbers(before: dict[str, int | None]) -> None:
    """Numbers stand in addresses: what comes next gets the same ones as if nothing had happened."""
    given = numbers_given()
    with connection.cursor() as cursor:
        for name, last in before.items():
            if given[name] != last:
                cursor.execute("SELECT setval(%s, %s, %s)", [name, last or 1, last is not None])


Walks = dict[str, Walked]


def walk_all(listed: dict[str, Door], cookies: SimpleCookie, before: Walks | None = None) -> Walks:
    """The result of each door. `before` has the results of an earlier world: a door whose queries still return
    the same is not walked through again."""
    frame = {query.name for query in walk(listed[FRAME], cookies)[1]}
    walked, world, before = {}, World(), before or {}
    for name, door in listed.items():
        was = before.get(name)
        if was and not world.differs(was):
            walked[name] = was
            continue
        shown, asked = walk(door, cookies)
        if name != FRAME and only_reads(asked):
            asked = [query for query in asked if query.name not in frame]
        walked[name] = Walked(shown, asked, world.answers_to(asked))
    refused = {400, 403, 404, 405, 409, 412, 415, 422}
    assert {each.shown[0] for each in walked.values()} <= {200, 201, 204, 302} | refused
    return walked


def told_by(
    listed: dict[str, Door],
    acts: dict[str, Callable[[], object]],
    cookies: SimpleCookie,
    *,
    compared: Callable[[str, tuple], tuple] = lambda name, shown: shown,
    nothing: Walks | None = None,
) -> dict[str, list[str]]:
    """By act, the names of the doors that say something else after it. `compared` is what counts of an answer, and
    `nothing` has the results of the doors without an act, if they are known."""
    nothing = nothing or walk_all(listed, cookies)
    known = {name: [walked] for name, walked in nothing.items()}
    told = {}
    for act, do in acts.items():
        with transaction.atomic():
            do()
            world = World()
            there = {
                name: compared(name, shown_in(world, door, known[name], cookies)) for name, door in listed.items()
            }
            transaction.set_rollback(True)
        differ = [name for name, shown in there.items() if shown != compared(name, nothing[name].shown)]
        # Again without the act: what a process looks up only once was looked up by the first walk.
        told[act] = [name for name in differ if there[name] != compared(name, walk(listed[name], cookies)[0])]
    return {act: names for act, names in told.items() if names}


def shown_in(world: World, door: Door, known: list[Walked], cookies: SimpleCookie) -> tuple:
    """The result of the door in the current world. `known` has its results in others; a
    walk that none of them saves is one more of these."""
    for was in known:
        if not world.differs(was):
            return was.shown
    shown, asked = walk(door, cookies)
    known.append(Walked(shown, asked, world.answers_to(asked)))
    return shown
