"""Judgments and final verdicts for files, made one row at a time.

Reviewers have pseudonyms, the same in every export about a release and different for each release. Judgments that can
still be taken back are in no export.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from annotation.models import Release, ReleasedInstance
from core.models import User
from judging.runs.blinding import public_responses

from ..models import Adjudication, FinalAnswers, FinalVerdict, Judgment, Pseudonym, Round, SetAside
from ..rounds.keeping.registered import kept_by
from ..rounds.keeping.verdicts import VERDICT
from ..rounds.rounds import hidden_from

CHUNK = 2000
# Letters and digits, without those that are easily confused.
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
ABOUT = ("response", "run", "release", "question_ID", "instance", "model", "template", "repetition")
# The columns beside one person's verdict or answers, and beside final ones.
SAID = ("cannot_judge", "comment", "seconds", "judged_at", "set_aside")
DECIDED = ("how", "reason", "adjudicator", "times_reopened", "settled_at", "set_aside")
JUDGMENT_COLUMNS = (*ABOUT, "round", "number", "reviewer", "verdict", *SAID)
FINAL_VERDICT_COLUMNS = (*ABOUT, "round", "verdict", *DECIDED)


@dataclass(frozen=True, slots=True)
class Within:
    """The rows of an export: those of a run, a round, a release (by its number), a model, a template, or of rounds in
    this state. None is all.
    """

    run: int | None = None
    round: int | None = None
    release: int | None = None
    model: int | None = None
    template: int | None = None
    state: str | None = None

    def rows(self, *, response: str, round: str, release: str = "") -> Q:
        """The condition for rows from which these paths lead to the response, to the round and, for rows that may
        lack a response, to the number of their round's release.
        """
        found = Q()
        for name, value in (("run", self.run), ("model", self.model), ("template", self.template)):
            found &= Q() if value is None else Q(**{f"{response}__{name}": value})
        if self.release is not None:
            of_round = Q(**{release: self.release}) if release else Q(pk__in=[])
            found &= Q(**{f"{response}__run__release__number": self.release}) | of_round
        found &= Q() if self.round is None else Q(**{round: self.round})
        return found & (Q() if self.state is None else Q(**{f"{round}__state": self.state}))

    def rounds(self) -> Q:
        """The condition for rounds that can have such rows."""
        found = Q() if self.round is None else Q(pk=self.round)
        return found & (Q() if self.state is None else Q(state=self.state))


EVERYTHING = Within()


class Names:
    """The names of people in one export: their user names, or pseudonyms by release."""

    def __init__(self, *, real: bool):
        self.real = real
        self._known: dict[tuple[int | None, int], str] = {}

    def of(self, person: User | None, release_id: int | None) -> str:
        if person is None:
            return ""
        if self.real:
            return person.username
        key = (release_id, person.pk)
        if key not in self._known:
            self._known[key] = pseudonym(person, release_id)
        return self._known[key]

    def decided(self, final: FinalVerdict | FinalAnswers, release_id: int | None) -> dict[str, object]:
        """The columns of `DECIDED`: how the verdict became final, and the adjudicator's decision and reason, if
        any.
        """
        adjudication: Adjudication | None = getattr(final.item, "adjudication", None)
        return {
            "how": final.how,
            "reason": adjudication.reason if adjudication else "",
            "adjudicator": self.of(adjudication.adjudicator if adjudication else None, release_id),
            "times_reopened": adjudication.times_reopened if adjudication else 0,
            "settled_at": final.at.isoformat(),
            "set_aside": final.is_set_aside,  # type: ignore[union-attr]  # annotated
        }


def said(judgment: Judgment) -> dict[str, object]:
    """The columns of `SAID`."""
    return {
        "cannot_judge": judgment.cannot_judge,
        "comment": judgment.comment,
        "seconds": judgment.seconds,
        "judged_at": judgment.judged_at and judgment.judged_at.isoformat(),
        "set_aside": judgment.is_set_aside,  # type: ignore[attr-defined]  # annotated
    }


def pseudonym(person: User, release_id: int | None) -> str:
    """The person's name in exports about this release; chosen at random the first time, and stored."""
    while True:
        found = Pseudonym.objects.filter(person=person, release=release_id).first()
        if found:
            return found.name
        name = "reviewer-" + "".join(secrets.choice(LETTERS) for _ in range(4))
        try:
            with transaction.atomic():
                return Pseudonym.objects.create(person=person, release_id=release_id, name=name).name
        except IntegrityError:
            continue


def rounds_shown_to(person: User | None) -> QuerySet[Round]:
    """The rounds that an export for this person may contain; all if `person` is None, as on the command line."""
    return Round.objects.all() if person is None else Round.objects.exclude(pk__in=hidden_from(person))


def _number(release: Release | OuterRef, instance: str) -> Subquery:
    return Subquery(
        ReleasedInstance.objects.filter(release=release, instance=OuterRef(instance)).values("number")[:1]
    )


def is_set_aside(instance: str) -> Exists:
    return Exists(SetAside.objects.active().filter(instance=OuterRef(instance)))


def judgment_rows(
    *,
    person: User | None = None,
    names: bool = False,
    at: datetime | None = None,
    published: Release | None = None,
    within: Within = EVERYTHING,
) -> Iterator[dict[str, object]]:
    """Every judgment that counts; not those of training and check items. With `published`, those about the release's
    responses that may be published."""
    judgments = (
        Judgment.objects.shown()
        .ordinary()
        .fixed(at=at)
        .filter(within.rows(response="item__response", round="round"))
        .filter(round__in=rounds_shown_to(person), round__questionnaire__in=kept_by(VERDICT))
        .select_related(
            "round",
            "reviewer",
            "item__response__run__release",
            "item__response__instance",
            "item__response__model",
            "item__response__template",
        )
        .annotate(
            question_number=_number(published or OuterRef("item__response__run__release"), "item__instance"),
            is_set_aside=is_set_aside("item__instance"),
        )
        .order_by("item", "number")
    )
    if published:
        judgments = judgments.filter(item__response__in=public_responses(published).order_by().values("pk"))
    people = Names(real=names)
    for judgment in judgments.iterator(chunk_size=CHUNK):
        response = judgment.item.response
        yield _about(response, judgment.question_number) | {
            "round": judgment.round.name,
            "number": judgment.number,
            "reviewer": people.of(judgment.reviewer, response.run.release_id),
            "verdict": judgment.verdict,
            **said(judgment),
        }


def final_verdict_rows(
    *,
    person: User | None = None,
    names: bool = False,
    at: datetime | None = None,
    published: Release | None = None,
    within: Within = EVERYTHING,
) -> Iterator[dict[str, object]]:
    """Every final verdict: agreed, adjudicated, imported; made by `at` if that is given. With `published`, those of
    the release's responses that may be published.
    """
    final_verdicts = (
        FinalVerdict.objects.exclude(item__round__in=_hidden(person))
        .filter(within.rows(response="response", round="item__round"))
        .select_related(
            "response__run__release",
            "response__instance",
            "response__model",
            "response__template",
            "item__round",
            "item__adjudication__adjudicator",
        )
        .annotate(
            question_number=_number(published or OuterRef("run__release"), "instance"),
            is_set_aside=is_set_aside("instance"),
        )
        .order_by("response")
    )
    if at is not None:
        final_verdicts = final_verdicts.filter(at__lte=at)
    if published:
        final_verdicts = final_verdicts.filter(response__in=public_responses(published).order_by().values("pk"))
    people = Names(real=names)
    for final_verdict in final_verdicts.iterator(chunk_size=CHUNK):
        response, item = final_verdict.response, final_verdict.item
        yield _about(response, final_verdict.question_number) | {
            "round": item.round.name if item else "",
            "verdict": final_verdict.verdict,
            **people.decided(final_verdict, response.run.release_id),
        }


def _hidden(person: User | None) -> QuerySet[Round]:
    return Round.objects.none() if person is None else hidden_from(person)


def _about(response, question_number: int | None) -> dict[str, object]:
    release = response.run.release
    return {
        "response": str(response.key),
        "run": str(response.run.key),
        "release": release.number if release else None,
        "question_ID": question_number,
        "instance": response.instance.key,
        "model": response.model.name,
        "template": response.template.label,
        "repetition": response.repetition,
    }
