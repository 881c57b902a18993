"""Whoever judges in a round learns nothing of it, whatever other roles they hold: every address and every file that
is brought, for each combination of roles, before and after each act of others. Compared byte for byte.

`test_blindness.py` names the ways in one by one; here the list of addresses is that of the project, so a new page is
walked through without being entered anywhere.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from uuid import UUID

import pytest
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.desk.comments.comments import write_comment
from benchmarks.wikicontradict.items import CODE
from core.models import Role, User
from judging.responses.comments import AboutResponse
from review.models import Adjudication, Item, Judgment, Round
from review.reports.registry import all_reports
from review.rounds.adjudication import adjudicate, reopen
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import reset_judgment, submit_judgments, take_back
from review.rounds.reviewers.handing_over import hand_over
from tests.conftest import make_person
from tests.core.addresses import EVERYBODY, LISTED, MAY_OPEN, PATTERNS, SIGNED_IN
from tests.core.asking import address, post
from tests.core.world import NAMES
from tests.doors.walking import Door, told_by
from tests.factories.review import give, make_imported_run, make_round, reviewer_in, slot_of
from tests.review.blindness.test_blindness import LONG_AGO

REPORTS = {name: each for name, each in all_reports().items() if each.benchmark == CODE}

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

OTHER_ROLES = (Role.ANNOTATOR, Role.ADJUDICATOR, Role.ADMIN)
# Every set of other roles beside that of a reviewer.
COMBINATIONS = [(Role.REVIEWER, *others) for count in range(4) for others in combinations(OTHER_ROLES, count)]
# With one other role, and with all of them, addresses are also asked with what narrows them, and forms filled in.
FILLED_IN = [roles for roles in COMBINATIONS if len(roles) != 3]
KEY = UUID(int=5)

# Signing out ends the walk, as signing in as another does, and no worker is running that could be ready.
NOT_WALKED = {"account_logout", "ready", "sample_sign_in"}


@dataclass(frozen=True)
class Stage:
    """A round of Rita, Ralph and Rosa. Of `untouched` nobody has judged; of `waiting` Rita has, and it counts."""

    round: Round
    rita: User
    ralph: User
    rosa: User
    amir: User
    ada: User
    untouched: Item
    waiting: Item

    @property
    def of_both(self) -> list[Item]:
        return [self.waiting, self.untouched]

    def of_ralph(self, item: Item) -> Judgment:
        return slot_of(item, self.ralph)


@pytest.fixture(scope="module")
def made(world) -> Stage:
    """Made once. Each test has it anew, as it leaves nothing behind."""
    cast = {role: User.objects.get(username=name) for role, name in NAMES.items()}
    rita, admin, adjudicator = (cast[role] for role in (Role.REVIEWER, Role.ADMIN, Role.ADJUDICATOR))
    ralph, rosa = User.objects.get(username="ralph"), make_person("rosa", "reviewer")
    round = make_round(admin, [rita, ralph, rosa], make_imported_run(3, name="walked"))
    shared = Judgment.objects.filter(round=round, reviewer=ralph).values("item")
    untouched, waiting = round.items.filter(judgments__reviewer=rita, pk__in=shared).order_by("pk")
    give(slot_of(waiting, rita), "correct", at=timezone.now() - LONG_AGO)
    complete_pairs()
    return Stage(round, rita, ralph, rosa, admin, adjudicator, untouched, waiting)


@pytest.fixture
def stage(made, db) -> Stage:
    return made


# Other people's acts. "Nothing" is the world to which all others are compared.
def judges(verdict: str, *, which: str = "waiting", **values) -> Callable[[Stage], object]:
    def act(stage: Stage) -> None:
        give(stage.of_ralph(getattr(stage, which)), verdict, at=timezone.now() - LONG_AGO, **values)

    return act


def judges_just_now(stage: Stage) -> None:
    give(stage.of_ralph(stage.waiting), "incorrect", at=timezone.now(), comment="no")


def takes_back(stage: Stage) -> None:
    judges_just_now(stage)
    take_back(judgment=stage.of_ralph(stage.waiting), reviewer=stage.ralph)


def submits(stage: Stage) -> None:
    judges_just_now(stage)
    submit_judgments(reviewer=reviewer_in(stage.round, stage.ralph))
    complete_pairs()


def agrees(stage: Stage) -> None:
    judges("correct")(stage)
    complete_pairs()


def name_it(stage: Stage) -> None:
    assert Adjudication.objects.filter(item=stage.waiting).update(key=KEY)


def disagrees(stage: Stage) -> None:
    judges("incorrect", comment="no")(stage)
    complete_pairs()
    name_it(stage)


def adjudicated_by_ada(stage: Stage) -> None:
    adjudicate(
        adjudication=Adjudication.objects.get(key=KEY), person=stage.ada, verdict="incorrect", reason="no year"
    )


def commented_by_ada(stage: Stage) -> None:
    topic = AboutResponse(stage.waiting.response)
    write_comment(topic=topic, person=stage.ada, text="no year", field="response", quote=topic.response.answer[:5])


def reopened_by_ada(stage: Stage) -> None:
    reopen(adjudication=Adjudication.objects.get(key=KEY), person=stage.ada, reason="looked again")


def reset(stage: Stage) -> None:
    disagrees(stage)
    reset_judgment(judgment=stage.of_ralph(stage.waiting), admin=stage.amir, reason="a slip")


def handed_over(stage: Stage) -> None:
    ralph, rosa = reviewer_in(stage.round, stage.ralph), reviewer_in(stage.round, stage.rosa)
    hand_over(reviewer=ralph, to=[rosa], admin=stage.amir)


def judges_all(stage: Stage) -> None:
    for slot in Judgment.objects.open().filter(round=stage.round, reviewer=stage.ralph):
        give(slot, "incorrect", at=timezone.now() - LONG_AGO)


def several(*acts: Callable[[Stage], object]) -> Callable[[Stage], object]:
    """One after the other, so that one walk tries them all."""

    def act(stage: Stage) -> None:
        for each in acts:
            each(stage)

    return act


ACTS: dict[str, Callable[[Stage], object]] = {
    "judges, which can be taken back": judges_just_now,
    "takes back, judges, disagrees, is commented on and adjudicated": several(
        takes_back,
        disagrees,
        commented_by_ada,
        adjudicated_by_ada,
        judges("", which="untouched", cannot_judge="it breaks off"),
    ),
    "submits, is adjudicated, reopened, commented on, handed over": several(
        submits, name_it, adjudicated_by_ada, reopened_by_ada, commented_by_ada, handed_over
    ),
    "agrees, judges all": several(agrees, judges_all),
    "is reset": reset,
}


# The doors
def doors(stage: Stage, rows: dict, roles: tuple[str, ...]) -> Iterator[tuple[str, Door]]:
    """Each with a name: every address that these roles open, every file that they may bring."""
    for name in LISTED:
        if name in NOT_WALKED or not opens(name, roles):
            continue
        for where in sorted({address(name, rows | each) for each in variants(stage)}):
            yield f"GET {where}", lambda client, where=where: client.get(where)
            if PATTERNS[name].callback.__module__.startswith("review."):
                yield f"POST {where}", lambda client, where=where: post(client, where)
    if roles in FILLED_IN:
        yield from asked_otherwise(stage, roles)
    if roles in FILLED_IN and Role.ADMIN in roles:
        yield from brought(stage)
        yield from ordered(stage)


def opens(name: str, roles: tuple[str, ...]) -> bool:
    return MAY_OPEN[name] in (EVERYBODY, SIGNED_IN) or bool(set(MAY_OPEN[name]) & set(roles))


def variants(stage: Stage) -> list[dict]:
    """The rows of the round that is walked, under the names that addresses use; once Ralph's, once one's own."""
    both = {
        "round": stage.round.pk,
        "round_key": stage.round.key,
        "adjudication": KEY,
        "response": stage.waiting.response.key,
        "run": stage.waiting.response.run_id,
    }
    return [
        both | {"round_person": person.pk, "person": person.pk, "judgment": own.key, "given_judgment": own.pk}
        for person in (stage.ralph, stage.rita)
        for own in [slot_of(stage.waiting, person)]
    ]


def asked_otherwise(stage: Stage, roles: tuple[str, ...]) -> Iterator[tuple[str, Door]]:
    """Addresses that say more with what stands behind the question mark."""
    asked = ["judge/?all=1", "adjudicate/?show=decided", "adjudicate/?next"]
    if Role.ADMIN in roles:
        for what in ("round", "run"):
            number = stage.round.pk if what == "round" else stage.waiting.response.run_id
            # The page and the file are written from one and the same table.
            file = "download/json/" if what == "run" else ""
            asked += [f"reports/{name}/{file}?{what}={number}" for name in REPORTS]
            asked += [f"reports/responses/?{what}={number}", f"reports/human-evaluation.json?{what}={number}"]
        asked += [f"reports/responses/?verdict={verdict}" for verdict in ("correct", "incorrect", "any", "none")]
        asked += [f"files/{what}.csv?names=1" for what in ("judgments", "final-verdicts")]
        asked += [f"reports/agreement/?by={by}&round={stage.round.pk}" for by in ("template", "model", "pair")]
        asked += [f"reports/responses/?pairs=all&person={stage.rita.pk}&other={stage.ralph.pk}"]
        asked += [f"{reverse('activity')}?actor={person.pk}" for person in (stage.ralph, stage.amir, stage.ada)]
        asked += [
            f"{reverse('activity')}?kind={kind}&subject={stage.round.pk}" for kind in ("round", "roundreviewer")
        ]
        asked += [f"rounds/preview/?runs={stage.waiting.response.run_id}&reviewers={stage.rita.pk}"]
    review = reverse("judge").removesuffix("judge/")
    for where in asked:
        where = where if where.startswith("/") else review + where
        yield f"GET {where}", lambda client, where=where: client.get(where)


def brought(stage: Stage) -> Iterator[tuple[str, Door]]:
    """Files with a guess at what Ralph said, checked and imported."""
    for action in ("check", "import"):
        for verdict in ("correct", "partially correct", "incorrect", ""):
            of_both = [f"{item.response.key},{stage.ralph},{verdict},it breaks off" for item in stage.of_both]
            yield f"{action} of {verdict or 'cannot judge'}", bring("judgment_files", of_both, action)
        line = f"{stage.waiting.response.key},check,correct,"
        yield f"{action} of a known verdict", bring("known", [line], action, "response,use,verdict,explanation")


def bring(name: str, lines: list[str], action: str, header: str = "response,reviewer,verdict,cannot_judge") -> Door:
    def door(client):
        file = SimpleUploadedFile("file.csv", "\n".join([header, *lines, ""]).encode())
        return client.post(reverse(name), {"file": file, "action": action})

    return door


def ordered(stage: Stage) -> Iterator[tuple[str, Door]]:
    """An admin's act with a form that is filled in."""
    for giver, taker in ((stage.ralph, stage.rita), (stage.rita, stage.ralph), (stage.ralph, stage.rosa)):
        where = reverse("reviewer_hand_over", args=[stage.round.pk, giver.pk])
        yield (
            f"handing over from {giver} to {taker}",
            lambda client, where=where, taker=taker: client.post(where, {"to": [taker.pk]}, follow=True),
        )
    given = slot_of(stage.waiting, stage.ralph)
    where = reverse("reviewer_reset", args=[stage.round.pk, stage.ralph.pk, given.pk])
    yield "resetting", lambda client: client.post(where, {"reason": "a slip"})


RECORDED = ("GET /annotation/reviews/", "GET /annotation/tags/")
TIME = re.compile(rb"<time[^>]*>[^<]*</time>")


def without_work(name: str, shown: tuple) -> tuple:
    """The texts without the amount of work, which depends on what was done, and without the moment at which this very
    reading was recorded: the database's clock goes on.
    """
    if name.startswith(RECORDED):
        status, headers, body, queries = shown
        return status, [each for each in headers if each[0] != "Content-Length"], TIME.sub(b"", body), queries
    return shown[:3] if name.endswith("/close/") else shown


def tried(roles: tuple[str, ...]):
    """As a parameter. Admins open most addresses, so three or four roles with theirs take longest."""
    takes_long = len(roles) > 2 and Role.ADMIN in roles
    return pytest.param(roles, id="+".join(roles), marks=[pytest.mark.thorough] if takes_long else [])


@pytest.mark.parametrize("roles", [tried(roles) for roles in COMBINATIONS])
def test_nothing_that_others_do_shows_anywhere(roles, stage, rows, sign_in):
    for role in roles:
        stage.rita.groups.add(Group.objects.get_or_create(name=role)[0])
    client = sign_in(stage.rita)
    client.get("/account/")  # makes the session's own rows
    # Asked for before any act: addresses are made of rows that others may have taken afterwards.
    listed = dict(doors(stage, rows, roles))
    acts = {name: partial(act, stage) for name, act in ACTS.items()}
    assert told_by(listed, acts, client.cookies, compared=without_work) == {}
