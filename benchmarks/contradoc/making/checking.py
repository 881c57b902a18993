"""Checks of candidates: the measurements each needs, and its outcome once all are made.

A check without a component is *not checked*: it counts as such, and the candidate goes to people. Equal texts are
measured once for all checks.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.engine.writing.pieces import in_pieces
from core.languages import say
from judging.making.components import Component, digest_of_texts
from judging.models import Run

from ..maker.maker import MAKER
from ..maker.values import CheckKind, Maker, Need
from ..models import (
    Candidate,
    CandidateState,
    Check,
    CheckOutcome,
    CheckSettings,
    MeasuredState,
    Measurement,
    Statement,
)
from .components import NAMES

Components = Mapping[str, Component | None]
WHOLE_DOCUMENT = say("the whole document")
# Checks that a late value can still decide: with their subjects, unreadable before.
UNDECIDED = Q(outcome=CheckOutcome.WAITING) | Q(outcome=CheckOutcome.NOT_CHECKED, measurements__isnull=False)
# Their outcome can change without people: nothing of them is lost by checking again.
OPEN = [CandidateState.MADE, CandidateState.FAILED, CandidateState.LEFT_OUT, CandidateState.CHOSEN]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A measurement that a check of a candidate needs."""

    kind: CheckKind
    component: Component
    need: Need
    window: int

    @property
    def digest(self) -> str:
        return digest_of_texts(self.need.first, self.need.second)

    @property
    def position(self) -> tuple[str, str, str]:
        return self.kind.measure, self.component.name, self.digest


def to_check(maker: Maker, *, again: bool = False) -> QuerySet[Candidate]:
    """The candidates still to be checked; `again` adds those with a check that was not made."""
    candidates = Candidate.objects.filter(document__benchmark=maker.benchmark)
    unchecked = Check.objects.filter(candidate=OuterRef("pk"), outcome=CheckOutcome.NOT_CHECKED)
    more = Q(Exists(unchecked), state__in=OPEN) if again else Q(pk=None)
    return candidates.filter(Q(state=CandidateState.MADE) | more).order_by("pk")


def with_texts(candidates: QuerySet[Candidate]) -> QuerySet[Candidate]:
    return candidates.select_related("document", "statement")


def wanted_by(candidate: Candidate, kind: CheckKind, components: Components, window: int) -> list[Wanted]:
    """The measurements a check of a candidate needs; none without a component or anything to measure."""
    component = components.get(kind.measure)
    if component is None:
        return []
    used = window if kind.has_window else 0
    return [Wanted(kind, component, need, used) for need in kind.needs(candidate, used)]


def open_checks(maker: Maker, components: Components, *, run: Run | None, again: bool = False) -> int:
    """Write the checks of candidates that have none yet, with the measurements they need; returns the number of these
    candidates. Checks without a component are decided immediately. A repeated call changes nothing.
    """
    limits = CheckSettings.of(maker.benchmark)
    numbers = list(to_check(maker, again=again).values_list("pk", flat=True))

    def write(piece: list[int]) -> None:
        candidates = list(with_texts(Candidate.objects.filter(pk__in=piece)))
        lock_statements(candidates)
        for candidate in candidates:
            for kind in maker.checks:
                open_check(candidate, kind, wanted_by(candidate, kind, components, limits.window), run, components)
        decide(candidates, maker, limits)

    in_pieces(numbers, write, most=50)
    return len(numbers)


def open_check(
    candidate: Candidate, kind: CheckKind, wanted: Sequence[Wanted], run: Run | None, components: Components
) -> None:
    there = Check.objects.filter(candidate=candidate, name=kind.code, version=kind.version).first()
    if there and (there.outcome in (CheckOutcome.PASSED, CheckOutcome.FAILED) or not wanted):
        return
    check = there or Check(candidate=candidate, name=kind.code, version=kind.version)
    check.component, check.extent = "", ""
    if wanted:
        check.component = wanted[0].component.name
        check.extent = extent_of(wanted[0]) if kind.has_window else ""
        check.wait()
        check.save()
    else:
        check.decide(CheckOutcome.NOT_CHECKED, reason=why_not(kind, components))
    check.measurements.set([measurement_of(candidate, each, run) for each in wanted])


def why_not(kind: CheckKind, components: Components) -> str:
    if components.get(kind.measure) is None:
        return say("There is no component for: {measure}.", measure=NAMES.get(kind.measure, kind.measure))
    return say("There is no sentence beside the edit.")


def extent_of(wanted: Wanted) -> str:
    return say("{count} sentences on either side", count=wanted.window) if wanted.window else WHOLE_DOCUMENT


def measurement_of(candidate: Candidate, wanted: Wanted, run: Run | None) -> Measurement:
    """The measurement of these texts: the existing one, or a new one for this run to make."""
    name, component, digest = wanted.position
    found, _ = Measurement.objects.get_or_create(
        name=name,
        component=component,
        digest=digest,
        defaults={
            "candidate": candidate,
            "part": f"{wanted.kind.code}:{wanted.need.part}",
            "window": wanted.window,
            "run": run if wanted.component.model else None,
            "model": wanted.component.model,
        },
    )
    if found.is_left(run):
        found.ask_again(run)
    return found


# --- Measured -------------------------------------------------------------------------------------------------------


def note_measured(measurements: Collection[Measurement]) -> None:
    """Decide the checks for which these measurements now have their values. Call it in the transaction that writes
    them, and lock with `lock_for` before.
    """
    decide(list(with_texts(candidates_of(measurements))), MAKER, CheckSettings.of(MAKER.benchmark))


def candidates_of(measurements: Iterable[Measurement]) -> QuerySet[Candidate]:
    undecided = [CheckOutcome.WAITING, CheckOutcome.NOT_CHECKED]
    checks = Check.objects.filter(measurements__in=[each.pk for each in measurements], outcome__in=undecided)
    return Candidate.objects.filter(pk__in=checks.values("candidate")).order_by("pk")


def lock_for(measurements: Iterable[Measurement]) -> None:
    """Lock the rows that decisions about these measurements change, so that of two workers the later one sees all."""
    lock_statements(candidates_of(measurements))


def lock_statements(candidates: Iterable[Candidate]) -> None:
    numbers = sorted({candidate.statement_id for candidate in candidates})
    list(Statement.objects.select_for_update().filter(pk__in=numbers).order_by("pk").values_list("pk"))


def decide(candidates: Sequence[Candidate], maker: Maker, limits: CheckSettings) -> None:
    """Decide the checks of these candidates whose measurements are complete; then the candidates whose checks are all
    decided; then choose one for each statement whose candidates are all decided.
    """
    kinds = {kind.code: kind for kind in maker.checks}
    for candidate in candidates:
        for check in candidate.checks.filter(UNDECIDED).distinct().prefetch_related("measurements"):
            decide_check(check, candidate, kinds[check.name], limits)
    for statement in sorted({candidate.statement_id for candidate in candidates}):
        choose(statement, maker)


def decide_check(check: Check, candidate: Candidate, kind: CheckKind, limits: CheckSettings) -> None:
    measurements = list(check.measurements.all())
    if any(each.state == MeasuredState.WAITING for each in measurements):
        return
    unreadable = next((each for each in measurements if each.state == MeasuredState.UNREADABLE), None)
    if unreadable:
        check.decide(CheckOutcome.NOT_CHECKED, reason=unreadable.said or say("The reply cannot be read."))
        return
    found = kind.decide(candidate, values_of(candidate, kind, measurements), limits)
    outcome = CheckOutcome.PASSED if found.is_passed else CheckOutcome.FAILED
    check.decide(outcome, value=found.value, threshold=found.threshold)


def values_of(candidate: Candidate, kind: CheckKind, measurements: Sequence[Measurement]) -> dict[str, float]:
    """The values by the parts of this candidate: another candidate may use the same texts as another part."""
    by_digest = {each.digest: each.value for each in measurements}
    component, window = Component(""), measurements[0].window
    wanted = [Wanted(kind, component, need, window) for need in kind.needs(candidate, window)]
    return {each.need.part: float(by_digest[each.digest] or 0) for each in wanted}


def choose(statement: int, maker: Maker) -> None:
    """Choose, among a statement's candidates that failed no check, the one whose perplexity rises least; if that is
    not measured, the first by rank. Does nothing before all of them are checked, or after people have decided on one.
    """
    candidates = list(Candidate.objects.filter(statement=statement, moved_from=None).prefetch_related("checks"))
    made = {each.pk: list(each.checks.all()) for each in candidates}
    if any(each.state not in OPEN or is_unchecked(made[each.pk], maker) for each in candidates):
        return
    left = [each for each in candidates if not any(one.outcome == CheckOutcome.FAILED for one in made[each.pk])]
    measured = {kind.code for kind in maker.checks if kind.has_window}
    best = min(left, key=lambda each: order_of(each, made[each.pk], measured), default=None)
    for candidate in candidates:
        state = CandidateState.LEFT_OUT if candidate in left else CandidateState.FAILED
        candidate.state = CandidateState.CHOSEN if candidate is best else state
    Candidate.objects.bulk_update(candidates, ["state"])


def is_unchecked(checks: Sequence[Check], maker: Maker) -> bool:
    return len(checks) < len(maker.checks) or any(each.outcome == CheckOutcome.WAITING for each in checks)


def order_of(candidate: Candidate, checks: Iterable[Check], measured: set[str]) -> tuple[float, int, bool, int]:
    rises = [check.value for check in checks if check.name in measured and check.value is not None]
    return (rises[0] if rises else float("inf"), candidate.rank, candidate.is_rewording, candidate.pk)


@transaction.atomic
def decide_again(maker: Maker) -> int:
    """Compare the measured values with the current thresholds; returns the number of checks that changed. Costs
    nothing.
    """
    limits = CheckSettings.of(maker.benchmark)
    kinds = {kind.code: kind for kind in maker.checks}
    decided = [CheckOutcome.PASSED, CheckOutcome.FAILED]
    candidates = Candidate.objects.filter(document__benchmark=maker.benchmark, state__in=OPEN)
    changed: set[int] = set()
    count = 0
    for candidate in with_texts(candidates).iterator(chunk_size=100):
        for check in candidate.checks.filter(outcome__in=decided).prefetch_related("measurements"):
            before = check.outcome, check.threshold
            decide_check(check, candidate, kinds[check.name], limits)
            if before != (check.outcome, check.threshold):
                count += 1
                changed.add(candidate.statement_id)
    for statement in sorted(changed):
        choose(statement, maker)
    return count
