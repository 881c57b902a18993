"""Walks through many doors in worlds that differ in one act of another person, and says which doors tell of it.

An answer is made of what its queries return, of the roles and of the time, which stands still. So every door is
walked through in the world in which nothing was done. In each other world its queries are asked again; where all of
them return the same, so does the door, and where one does not, the door is walked through once more and the answers
compared byte for byte. What the frame of every page asks is looked at on one page only.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.test import Client

Door = Callable[[Client], Any]
# The page on which the frame is looked at.
FRAME = "GET /account/"
# One for all doors: each new one would look through all static files. Its cookies are set anew for each door.
CLIENT = Client()
# Headers that differ from one moment to the next.
CLOCK_AND_TOKEN = ("Expires", "Set-Cookie")
# Drawn anew each time a page is shown: the token against forged forms, and a desk form's own number.
DRAWN = re.compile(rb'"[A-Za-z0-9]{64}"|name="operation" value="[0-9a-f-]{36}"')


def seen(door: Callable, client: object) -> tuple:
    """Status, headers and body: what reaches the person."""
    answer = door(client)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    headers = sorted((name, value) for name, value in answer.headers.items() if name not in CLOCK_AND_TOKEN)
    return answer.status_code, headers, DRAWN.sub(b"", body)


Query = tuple[str, Any, bool]


@dataclass(frozen=True)
class Walked:
    """What came of a door, what it asked the database, and what that answered."""

    shown: tuple
    asked: list[Query]
    answers: list | None


class World:
    """The database as it is now. What only reads is asked once, however many doors ask it."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    def answers_to(self, asked: list[Query]) -> list | None:
        """What these queries return, one after the other; None where one of them is refused."""
        answer = self._known_answer if only_reads(asked) else _answer
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                answers = [answer(cursor, query) for query in asked]
                transaction.set_rollback(True)
        except DatabaseError:
            return None
        return answers

    def _known_answer(self, cursor: Any, query: Query) -> Any:
        name = repr(query)
        if name not in self.known:
            self.known[name] = _answer(cursor, query)
        return self.known[name]


def _answer(cursor: Any, query: Query) -> Any:
    sql, params, many = query
    (cursor.executemany if many else cursor.execute)(sql, params)
    if sql.startswith("INSERT"):  # which number its own new row gets tells a person nothing
        return len(cursor.fetchall()) if cursor.description else cursor.rowcount
    return cursor.fetchall() if cursor.description else cursor.rowcount


def only_reads(asked: list[Query]) -> bool:
    return all(sql.startswith("SELECT") for sql, _, _ in asked)


def walk(door: Door, cookies: SimpleCookie) -> tuple[tuple, list[Query]]:
    """Go through the door as if it were the first one; afterwards nothing has happened. What it showed, with the
    number of its queries, as time would tell of them; and these queries."""
    asked: list[Query] = []
    CLIENT.cookies = SimpleCookie(cookies.output(header="", sep=";"))

    def note(execute, sql, params, many, context):
        asked.append((sql, params, many))
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
    """What came of each door. `before` is what came of them in an earlier world: a door whose queries still return
    the same is not walked through again."""
    frame = {repr(query) for query in walk(listed[FRAME], cookies)[1]}
    walked, world, before = {}, World(), before or {}
    for name, door in listed.items():
        was = before.get(name)
        if was and was.answers is not None and not _differs(was, world):
            walked[name] = was
            continue
        shown, asked = walk(door, cookies)
        if name != FRAME and only_reads(asked):
            asked = [query for query in asked if repr(query) not in frame]
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
    `nothing` what comes of the doors without an act, if that is known."""
    nothing = nothing or walk_all(listed, cookies)
    told = {}
    for act, do in acts.items():
        with transaction.atomic():
            do()
            world = World()
            touched = [name for name, was in nothing.items() if was.answers is None or _differs(was, world)]
            there = {name: compared(name, walk(listed[name], cookies)[0]) for name in touched}
            transaction.set_rollback(True)
        differ = [name for name in touched if there[name] != compared(name, nothing[name].shown)]
        # Once more without the act: what a process looks up only once was looked up by the first walk.
        told[act] = [name for name in differ if there[name] != compared(name, walk(listed[name], cookies)[0])]
    return {act: names for act, names in told.items() if names}


def _differs(was: Walked, world: World) -> bool:
    return world.answers_to(was.asked) != was.answers
