"""Rounds and the people in them: begin, close, reopen, pause, and the progress of a round."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from core.engine.queries.conditions import there_is_one
from core.engine.writing.pieces import in_pieces
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from core.words import NUMBER_WORDS
from judging.models import Response, Run
from judging.runs.blinding import refuse_names

from ..models import (
    Adjudication,
    AdjudicationCause,
    Item,
    ItemKind,
    Judgment,
    ReviewAction,
    Round,
    RoundReviewer,
    RoundState,
    SeenJudgments,
)
from ..models.people import may_judge
from .announcing import announce_if_finished
from .dealing.choosing import responses_in
from .dealing.dealing import deal_known_to
from .final_verdicts.pairing import complete_pairs
from .keeping.registered import keeping_of
from .questionnaires import Questionnaire, Wanted, questionnaire_of
from .turns.seen import hand_back_all_seen, hand_back_seen

# The actions shown in the activity log to a person who judges in the round. Its beginning would name its runs.
TELLS_NOTHING = (
    ReviewAction.SET_DEADLINE,
    ReviewAction.CLOSED,
    ReviewAction.OPENED_AGAIN,
    ReviewAction.OPENED_ACCESS,
    ReviewAction.JOINED,
    ReviewAction.PAUSED,
    ReviewAction.RESUMED,
)


def create_round(
    *,
    admin: User | None,
    name: str,
    runs: Collection[Run] = (),
    responses: Collection[Response] = (),
    reviewers: Collection[User],
    **columns: object,
) -> Round:
    """Create a round, which then waits to be dealt (`review.rounds.dealing.dealing.deal_round`).

    `columns` of the round are its settings. Among them, `judgments_each` is the number of people who judge each
    response, from two to five, and `consensus` the rule for the final verdict; neither ever changes. With `by_gain`,
    the responses that tell models apart soonest are judged first (`review.rounds.dealing.gain`). Some `responses` may
    be given instead of all those of runs. `questionnaire` is a code; the subjects come from the runs, the `release`,
    or the waiting ones. Raises `Refusal` as `plan_round` does.
    """
    round = plan_round(admin=admin, name=name, runs=runs, responses=responses, reviewers=reviewers, **columns).round
    if responses:
        runs = Run.objects.filter(pk__in={response.run_id for response in responses}).order_by("pk")
    with transaction.atomic():
        try:
            with transaction.atomic():
                round.save()
        except IntegrityError as error:
            raise _name_is_taken(name) from error
        round.runs.set(runs)
        round.selected_responses.set(responses)
        people = [RoundReviewer(round=round, person=person) for person in _in_order(reviewers)]
        RoundReviewer.objects.bulk_create(people)
        Event.record(
            ReviewAction.BEGAN_ROUND,
            round,
            actor=admin,
            after={
                "name": name,
                "runs": [run.pk for run in runs],
                **({"responses": len(responses)} if responses else {}),
                "reviewers": [str(person) for person in reviewers],
                "sample": round.sample_size,
                "seed": round.seed,
                "judgments_each": round.judgments_each,
                "consensus": str(round.consensus),
                "by_gain": round.by_gain,
                **({"deadline": round.deadline.isoformat()} if round.deadline else {}),
                **keeping_of(round.questionnaire).in_log(round),
            },
        )
    return round


def plan_round(
    *,
    admin: User | None,
    name: str,
    runs: Collection[Run] = (),
    responses: Collection[Response] = (),
    reviewers: Collection[User],
    **columns: object,
) -> Wanted:
    """The round that `create_round` would create with the same arguments. Nothing is written.

    Raises `Refusal` if there are fewer reviewers than judgments per subject, if a person is not a reviewer, if the
    name is taken, or if there is nothing that could be judged.
    """
    round = Round(name=name, created_by=admin, **columns)
    asked = questionnaire_of(round.questionnaire)
    _check_people(asked, round.judgments_each, reviewers)
    if runs or responses:
        # The number waiting reveals which runs are in a round already; a round over one response reveals its run.
        refuse_names(admin)
    if Round.everything.filter(name=name).exists():
        raise _name_is_taken(name)
    people = [person.pk for person in _in_order(reviewers)]
    wanted = Wanted(round, responses_in(runs, responses), people, are_chosen=bool(responses))
    if nothing := asked.why_nothing(wanted):
        raise Refusal(say("{nothing} waiting to be judged. No round was made.", nothing=nothing))
    return wanted


def _in_order(reviewers: Collection[User]) -> list[User]:
    return sorted(set(reviewers), key=lambda each: each.pk)


def _name_is_taken(name: str) -> Refusal:
    return Refusal(say("There is already a round called “{name}”. Choose another name.", name=name))


def _check_people(questionnaire: Questionnaire, judgments_each: int, reviewers: Collection[User]) -> None:
    fewest = questionnaire.fewest_each or questionnaire.judgments_each
    if not fewest <= judgments_each <= questionnaire.most_each:
        most = NUMBER_WORDS[questionnaire.most_each]
        people = (
            say("{fewest} to {most} people", fewest=NUMBER_WORDS[fewest], most=most)
            if fewest < questionnaire.most_each
            else say("{most} each", most=most)
        )
        raise Refusal(
            say(
                "A {singular} is judged by {people}. No round was made.",
                singular=questionnaire.singular,
                people=people,
            ),
            status=400,
        )
    if len(set(reviewers)) < judgments_each:
        raise Refusal(
            say(
                "A round needs at least {fewest} reviewers, as each {singular} is judged by that many. "
                "No round was made.",
                fewest=NUMBER_WORDS[judgments_each],
                singular=questionnaire.singular,
            ),
            status=400,
        )
    for person in reviewers:
        check_reviewer(person)


def check_reviewer(person: User) -> None:
    """Raises `Refusal` if this person may not judge: nobody could take over their items."""
    if not may_judge(person):
        raise Refusal(
            say("{person} does not have the role reviewer. Nothing was changed.", person=person), status=400
        )


def find_round(pk: int) -> Round:
    round = Round.objects.filter(pk=pk).first()
    if round is None:
        raise Refusal(say("There is no such round."), status=404)
    return round


@transaction.atomic
def set_deadline(*, round: Round, deadline: date | None, admin: User) -> None:
    """Set the day by which the round's work is to be done; None removes it. Nothing else depends on it."""
    before = Round.objects.select_for_update().get(pk=round.pk).deadline
    if deadline == before:
        return
    Round.objects.filter(pk=round.pk).update(deadline=deadline)
    log = [{"deadline": day.isoformat() if day else None} for day in (before, deadline)]
    Event.record(ReviewAction.SET_DEADLINE, round, actor=admin, before=log[0], after=log[1])


def close_round(*, round: Round, admin: User | None, at: datetime | None = None) -> Round:
    """Close the round: nobody can judge in it afterwards, and existing judgments count immediately. A response that
    lacks a judgment gets no final verdict.

    Its pairs are completed in pieces, and the round counts as closed only once all of them are. Otherwise its
    reviewers could see verdicts before every disagreement is found.
    """
    at = at or timezone.now()
    with transaction.atomic():
        check_can_close(Round.objects.select_for_update().get(pk=round.pk))
        Round.objects.filter(pk=round.pk).update(state=RoundState.CLOSING)
        Event.record(ReviewAction.CLOSED, round, actor=admin, before={"state": "open"}, after={"state": "closed"})
    finish_closing(round=round, at=at)
    return Round.objects.get(pk=round.pk)


def check_can_close(round: Round) -> None:
    """Raises `Refusal` if the round cannot be closed now."""
    if round.state != RoundState.OPEN:
        raise Refusal(say("Only an open round can be closed."))


def finish_closing(*, round: Round, at: datetime | None = None) -> None:
    """Make all judgments count, then close the round. Called again by the clock if a process died while doing it."""
    at = at or timezone.now()
    to_take_back = Judgment.objects.given().filter(round=round, undo_until__gt=at)
    in_pieces(
        list(to_take_back.values_list("pk", flat=True)),
        lambda piece: to_take_back.filter(pk__in=piece).update(undo_until=at),
    )
    complete_pairs(round=round, at=at)
    with transaction.atomic():
        if Round.objects.filter(pk=round.pk, state=RoundState.CLOSING).update(state=RoundState.CLOSED, closed_at=at):
            announce_if_finished(round.pk)


def reopen_round(*, round: Round, admin: User | None) -> Round:
    """Reopen the round: judging continues where it stopped. Responses that another round has taken over stay there.
    Reviewers lose the responses of which they have seen a judgment since, and others can take these. That is done in
    pieces while the round is still closed, and again in the transaction that opens it.

    Raises `Refusal` if the admin judges in the round, since closing it showed them the others' judgments.
    """
    if admin is not None and round.reviewers.filter(person=admin).exists():
        raise Refusal(
            say("You judge in this round yourself: another admin has to reopen it. Nothing was changed."), status=403
        )
    check_can_reopen(Round.objects.get(pk=round.pk))
    began = timezone.now()
    people = list(round.reviewers.values_list("person", flat=True))
    handed_back: Counter[int] = Counter()
    for person in people:
        handed_back[person] += hand_back_all_seen(Judgment.objects.filter(round=round, reviewer=person))
    with transaction.atomic():
        check_can_reopen(Round.objects.select_for_update().get(pk=round.pk))
        Round.objects.filter(pk=round.pk).update(state=RoundState.OPEN, closed_at=None)
        saw_more = SeenJudgments.objects.filter(person__in=people, at__gte=began)
        for person in set(saw_more.values_list("person", flat=True)):
            handed_back[person] += hand_back_seen(Judgment.objects.filter(round=round, reviewer=person))
        for reviewer in round.reviewers.all():
            if count := handed_back[reviewer.person_id]:
                Event.record(ReviewAction.HANDED_BACK_SEEN, reviewer, after={"responses": count})
        Event.record(
            ReviewAction.OPENED_AGAIN, round, actor=admin, before={"state": "closed"}, after={"state": "open"}
        )
    return Round.objects.get(pk=round.pk)


def check_can_reopen(round: Round) -> None:
    """Raises `Refusal` if the round cannot be opened again now."""
    if round.state != RoundState.CLOSED or round.is_import:
        raise Refusal(say("Only a closed round can be reopened, and not one with imported judgments."))


def is_finished(round: Round) -> bool:
    """Return whether the round is closed and has no open disagreement. Only then may its reviewers learn which models
    they judged.
    """
    return round.state == RoundState.CLOSED and not Adjudication.objects.open().filter(round=round).exists()


def unfinished_rounds() -> QuerySet[Round]:
    """Rounds that are not closed, or that have an open disagreement: see `is_finished`."""
    disagreements = Adjudication.objects.open().filter(round=OuterRef("pk"))
    return Round.objects.filter(~Q(state=RoundState.CLOSED) | Exists(disagreements))


def hidden_from(person: User) -> QuerySet[Round]:
    """Rounds whose verdicts, counts and models this person must not see, whatever other roles they hold: those in
    which they judge and that are not finished."""
    return unfinished_rounds().filter(reviewers__person=person, is_import=False)


def held_back() -> Q:
    """Responses that are not published yet, as people still judge without knowing the models: all those of runs that
    unfinished rounds judge. If only the judged ones were missing, this would reveal their models.
    """
    unfinished = unfinished_rounds().order_by().values("pk")
    judged = Item.everything.filter(round__in=unfinished).order_by().values("response__run")
    chosen = Run.objects.filter(rounds__in=unfinished).order_by().values("pk")
    return Q(run__in=judged) | Q(run__in=chosen)


def hidden_events(person: User) -> Q:
    """The log entries about such a round: the reason for setting aside a question whose responses are judged
    there.
    """
    rounds = hidden_from(person).order_by()
    judged_there = Item.objects.filter(round__in=rounds.values("pk"), instance=OuterRef("subject_id"))
    return Q(subject_kind="instance") & Q(there_is_one(judged_there))


def is_hidden_from(round: Round, person: User) -> bool:
    return hidden_from(person).filter(pk=round.pk).exists()


def refuse_who_judges(round: Round, admin: User, what: str) -> None:
    """Raises `Refusal` (403) if the round is hidden from this admin: `what` is left to another one."""
    if is_hidden_from(round, admin):
        raise Refusal(say("You judge in this round yourself: another admin has to {what}.", what=what), status=403)


def find_round_reviewer(round: Round, person_id: int) -> RoundReviewer:
    reviewer = round.reviewers.filter(person=person_id).select_related("person", "round").first()
    if reviewer is None:
        raise Refusal(say("This person does not judge in this round."), status=404)
    return reviewer


def add_reviewer(*, round: Round, person: User, admin: User) -> RoundReviewer:
    """Let a reviewer join an open round. They get the training set and the check items; they get other responses when
    an admin reassigns some or when others leave some open. If the process dies, adding them again gives them the
    rest.
    """
    check_reviewer(person)
    if not round.is_open:
        raise Refusal(say("People can be added only to an open round."))
    with transaction.atomic():
        reviewer, is_new = RoundReviewer.objects.get_or_create(round=round, person=person)
        if is_new:
            Event.record(
                ReviewAction.JOINED, reviewer, actor=admin, after={"round": round.name, "reviewer": str(person)}
            )
    if not deal_known_to(round=round, reviewer=reviewer) and not is_new:
        raise Refusal(say("{person} already judges in this round.", person=person))
    return reviewer


@transaction.atomic
def pause_reviewer(*, reviewer: RoundReviewer, admin: User) -> None:
    """Stop giving responses to this person. They may still judge their current response."""
    if not RoundReviewer.objects.filter(pk=reviewer.pk, paused_at=None).update(paused_at=timezone.now()):
        raise Refusal(say("{person} is already paused.", person=reviewer.person))
    Event.record(ReviewAction.PAUSED, reviewer, actor=admin)


@transaction.atomic
def resume_reviewer(*, reviewer: RoundReviewer, admin: User) -> None:
    if not RoundReviewer.objects.filter(pk=reviewer.pk, paused_at__isnull=False).update(paused_at=None):
        raise Refusal(say("{person} is not paused.", person=reviewer.person))
    Event.record(ReviewAction.RESUMED, reviewer, actor=admin)


def skip_training(*, reviewer: RoundReviewer) -> None:
    """Skip the rest of the training set, if the round allows it. Written in pieces: if the process dies, some items
    are left, and skipping again removes them."""
    if reviewer.round.training_required:
        raise Refusal(say("The training set comes first in this round."))
    training = Judgment.objects.open().filter(
        round=reviewer.round_id, reviewer=reviewer.person_id, item__kind=ItemKind.TRAINING
    )
    left_out = in_pieces(
        list(training.values_list("pk", flat=True)), lambda piece: training.filter(pk__in=piece).delete()
    )
    with transaction.atomic():
        RoundReviewer.objects.filter(pk=reviewer.pk).update(training_skipped_at=timezone.now())
        Event.record(ReviewAction.SKIPPED_TRAINING, reviewer, actor=reviewer.person, after={"left out": left_out})


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """The progress of a round. Judgments that can still be taken back do not count yet.

    `asked` is the total number of judgments of the round, and `complete` the number of responses that have all of
    theirs.
    """

    responses: int
    asked: int
    judgments: int
    complete: int
    agreed: int
    could_not: int
    open_disagreements: int
    adjudicated: int
    reopened: int
    final: int

    @property
    def left(self) -> int:
        """The number of judgments still to be given."""
        return max(0, self.asked - self.judgments)

    @property
    def without_verdict(self) -> int:
        return self.responses - self.final


def round_progress(round: Round) -> RoundProgress:
    slots = Judgment.objects.shown().ordinary().filter(round=round)
    responses = Item.objects.filter(round=round, kind=ItemKind.ORDINARY).count()
    of = keeping_of(round.questionnaire)
    adjudications = Adjudication.objects.filter(round=round).aggregate(
        count=Count("pk"),
        open=Count("pk", filter=Q(adjudicated_at=None)),
        could_not=Count("pk", filter=Q(cause=AdjudicationCause.CANNOT_JUDGE)),
        reopened=Count("pk", filter=Q(times_reopened__gt=0)),
    )
    return RoundProgress(
        responses=responses,
        asked=of.asked(round, responses, slots),
        judgments=slots.fixed().count(),
        open_disagreements=adjudications["open"],
        adjudicated=adjudications["count"] - adjudications["open"],
        reopened=adjudications["reopened"],
        **of.counts(round, adjudications),
    )


def outcomes_of(round: Round) -> list[tuple[str, int]]:
    """The number of items by outcome, in the order of the questionnaire; none where reports count them."""
    return keeping_of(round.questionnaire).outcomes(round)
