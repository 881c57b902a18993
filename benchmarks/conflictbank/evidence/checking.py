"""Checks of evidence, in their order: refusal features, the claim entailed by its evidence, and the conflict evidence
contradicting the default one. Each check takes the evidence that passed the earlier ones, so that no call is wasted.

A check without a component is *not checked*: it counts as such, and does not stop the later ones.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from core.engine.writing.pieces import in_pieces
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from core.writing.changes import change_values
from judging.making.components import digest_of_texts
from judging.models import Run, RunState

from ..facts.aside import evidence_in_use
from ..models import (
    Cause,
    CheckName,
    CheckOutcome,
    ConflictbankAction,
    ConflictSettings,
    Evidence,
    EvidenceCheck,
    MeasuredPair,
    MeasuredState,
)
from .components import NAMES_COMPONENT, Component
from .texts import has_names, refusal_in

FEATURES_COMPONENT = say("refusal features")
NO_DEFAULT = say("The default evidence failed a check, so there is nothing to contradict.")
NO_DEFAULT_YET = say("There is no default evidence of this model.")
STOPPED = say("An admin stopped the local model before it came to this.")
# A check that passed passes evidence on to the next, and so does one without a component. A component
# that failed to tell does not: the check is asked for again.
GOES_ON = Q(outcome=CheckOutcome.PASSED) | Q(outcome=CheckOutcome.NOT_CHECKED, component="")
# Checks waiting for a pair of a run that will no longer measure it.
LEFT = Q(
    outcome=CheckOutcome.WAITING,
    pairs__state=MeasuredState.WAITING,
    pairs__run__state__in=[RunState.CANCELLED, RunState.FINISHED],
)
# Checks that wait for a local model.
LOCAL = Q(outcome=CheckOutcome.WAITING, pairs__state=MeasuredState.WAITING, pairs__model=None)
PIECE = 50


@dataclass(frozen=True, slots=True)
class Texts:
    """The pairs of texts that a check of evidence has to measure."""

    check: str
    component: Component
    pairs: Sequence[tuple[str, str]]

    def positions(self) -> Iterator[tuple[str, str, str]]:
        for premise, hypothesis in self.pairs:
            yield self.check, self.component.name, digest_of_texts(premise, hypothesis)


def counting() -> QuerySet[Evidence]:
    """The evidence of conflicts that are not set aside, and neither are their items."""
    return evidence_in_use()


def to_check(name: CheckName, *, again: bool = False) -> QuerySet[Evidence]:
    """The evidence that this check is still to be made of, as the earlier ones let it go on; `again` adds that of
    which it was not made, or waits for a local model, perhaps one that is no longer there.
    """
    mine = EvidenceCheck.objects.filter(evidence=OuterRef("pk"), name=name)
    wanted = ~Exists(mine) | Q(Exists(mine.filter(LEFT)))
    if again and name != CheckName.REFUSAL:
        wanted |= Q(Exists(mine.filter(LOCAL | Q(outcome=CheckOutcome.NOT_CHECKED))))
    found = counting().filter(wanted)
    for earlier in list(CheckName)[: list(CheckName).index(name)]:
        gone_on = EvidenceCheck.objects.filter(GOES_ON, evidence=OuterRef("pk"), name=earlier)
        found = found.filter(Exists(gone_on) | ~Q(overruled=""))
    if name == CheckName.CONTRADICTION:
        found = found.exclude(claim__cause=Cause.DEFAULT)
    return found.select_related(
        "claim__conflict__fact__subject", "claim__conflict__object", "claim__conflict__replacement"
    ).order_by("pk")


# --- Refusals -------------------------------------------------------------------------------------------------------


def check_refusals() -> int:
    """Search all unchecked evidence for refusal features; returns its number."""
    settings = ConflictSettings.current()

    def write(piece: list[int]) -> None:
        for evidence in Evidence.objects.filter(pk__in=piece):
            reason = refusal_in(evidence.used_text, settings.features, fewest_characters=settings.fewest_characters)
            check = EvidenceCheck(evidence=evidence, name=CheckName.REFUSAL, component=FEATURES_COMPONENT)
            check.decide(CheckOutcome.FAILED if reason else CheckOutcome.PASSED, reason=reason)

    return in_pieces(list(to_check(CheckName.REFUSAL).values_list("pk", flat=True)), write)


# --- Entailment and contradiction -----------------------------------------------------------------------------------


def open_checks(name: CheckName, component: Component | None, *, run: Run | None, again: bool = False) -> int:
    """Write this check for all evidence that is ready for it, with the pairs to measure; decide at once if no call is
    needed. Returns the number of evidence. A repeated call changes nothing.
    """

    def write(piece: list[int]) -> None:
        found = list(to_check(name, again=again).filter(pk__in=piece))
        defaults = defaults_of(found) if name == CheckName.CONTRADICTION else {}
        for evidence in found:
            default = defaults.get(evidence.pk)
            if default is None or is_decided(default):
                open_check(evidence, name, component, run, default)

    return in_pieces(list(to_check(name, again=again).values_list("pk", flat=True)), write, most=PIECE)


def open_check(
    evidence: Evidence, name: CheckName, component: Component | None, run: Run | None, default: Evidence | None
) -> None:
    check = EvidenceCheck.objects.filter(evidence=evidence, name=name).first()
    check = check or EvidenceCheck(evidence=evidence, name=name)
    check.component = component.name if component else ""
    if name == CheckName.CONTRADICTION and (default is None or has_failed(default)):
        check.component = ""
        check.decide(
            CheckOutcome.FAILED if default else CheckOutcome.NOT_CHECKED,
            reason=NO_DEFAULT if default else NO_DEFAULT_YET,
        )
    elif component is None:
        check.decide(CheckOutcome.NOT_CHECKED, reason=say("There is no component for this check."))
    elif component.name == NAMES_COMPONENT:
        check_names(check, evidence)
    else:
        check.wait()
        check.save()
        texts = texts_for(evidence, name, component, default)
        check.pairs.set([pair_of(texts, each, run) for each in texts.pairs])
        decide_measured(check)


def check_names(check: EvidenceCheck, evidence: Evidence) -> None:
    """The floor: passed if the text contains the names of the claim's subject and object."""
    conflict = evidence.claim.conflict
    object = conflict.object if evidence.claim.is_true else conflict.replacement
    passed = has_names(evidence.used_text, [conflict.fact.subject.name, object.name])
    reason = "" if passed else say("The name of the subject or the object is not in the text.")
    check.decide(CheckOutcome.PASSED if passed else CheckOutcome.FAILED, reason=reason)


def defaults_of(evidence: Collection[Evidence]) -> dict[int, Evidence]:
    """The default evidence that each of these conflicts with: of the same conflict, by the same model."""
    conflicts = {each.claim.conflict_id for each in evidence}
    found = Evidence.objects.filter(claim__conflict__in=conflicts, claim__cause=Cause.DEFAULT)
    by_position = {(each.claim.conflict_id, each.model_id): each for each in found.select_related("claim")}
    positions = {each.pk: (each.claim.conflict_id, each.model_id) for each in evidence}
    return {number: by_position[position] for number, position in positions.items() if position in by_position}


def has_failed(evidence: Evidence) -> bool:
    return not evidence.overruled and evidence.checks.filter(outcome=CheckOutcome.FAILED).exists()


def is_decided(default: Evidence) -> bool:
    """Return whether it is decided if this default evidence goes on to be contradicted."""
    goes_on = default.overruled or default.checks.filter(GOES_ON, name=CheckName.ENTAILMENT).exists()
    return bool(goes_on) or has_failed(default)


def texts_for(evidence: Evidence, name: CheckName, component: Component, default: Evidence | None) -> Texts:
    """The pair for a check: the premise is the evidence, or the default evidence."""
    if name == CheckName.ENTAILMENT:
        return Texts(name, component, [(evidence.used_text, evidence.claim.text)])
    return Texts(name, component, [(default.used_text, evidence.used_text)] if default else [])


def pair_of(texts: Texts, pair: tuple[str, str], run: Run | None) -> MeasuredPair:
    """The pair of these texts: the existing one, or a new one for this run to measure."""
    premise, hypothesis = pair
    found, _ = MeasuredPair.objects.get_or_create(
        label=texts.check,
        component=texts.component.name,
        digest=digest_of_texts(premise, hypothesis),
        defaults={
            "premise": premise,
            "hypothesis": hypothesis,
            "run": run if texts.component.model else None,
            "model": texts.component.model,
        },
    )
    if found.is_left(run):
        found.ask_again(run)
    return found


# --- Measured -------------------------------------------------------------------------------------------------------


def note_measured(pairs: Iterable[MeasuredPair]) -> None:
    """Decide the checks whose pairs are complete with these. Call it in the transaction that writes them."""
    numbers = [each.pk for each in pairs]
    waiting = EvidenceCheck.objects.filter(pairs__in=numbers).order_by("pk").values("pk")
    # If two workers hold pairs of one check, the later one sees both.
    for check in EvidenceCheck.objects.select_for_update().filter(pk__in=waiting).order_by("pk"):
        if check.outcome == CheckOutcome.WAITING or check.outcome == CheckOutcome.NOT_CHECKED:
            decide_measured(check)


def decide_measured(check: EvidenceCheck) -> None:
    """Decide a check if all of its pairs are measured: the best value counts."""
    pairs = list(check.pairs.all())
    if any(each.state == MeasuredState.WAITING for each in pairs):
        return
    values = [each.value for each in pairs if each.value is not None]
    if len(values) < len(pairs):
        said = next((each.said for each in pairs if each.state == MeasuredState.UNREADABLE), "")
        check.decide(CheckOutcome.NOT_CHECKED, reason=said or say("The reply cannot be read."))
        return
    settings, value = ConflictSettings.current(), max(values, default=0.0)
    threshold = settings.entailment_over if check.name == CheckName.ENTAILMENT else settings.contradiction_over
    check.decide(CheckOutcome.PASSED if value > threshold else CheckOutcome.FAILED, value=value, threshold=threshold)


@transaction.atomic
def stop_local(*, admin: User | None = None) -> int:
    """Have the checks that wait for local models be not checked, so that the worker measures nothing more for them;
    returns their number. What is measured is kept, and the checks can be made again.
    """
    waiting = EvidenceCheck.objects.filter(pk__in=EvidenceCheck.objects.filter(LOCAL).values("pk"))
    stopped = waiting.select_for_update().update(
        outcome=CheckOutcome.NOT_CHECKED, reason=STOPPED, component="", decided_at=timezone.now()
    )
    if stopped:
        settings, _ = ConflictSettings.objects.get_or_create(pk=1)
        Event.record(ConflictbankAction.STOPPED, settings, actor=admin, after={"checks": stopped})
    return stopped


@transaction.atomic
def overrule(*, evidence: Evidence, reason: str, admin: User | None = None) -> None:
    """Let evidence count although a check failed, with a reason; an empty one takes that back. Raises Refusal if no
    check failed.
    """
    row = Evidence.objects.select_for_update(of=["self"]).select_related("claim__conflict").get(pk=evidence.pk)
    before, reason = row.overruled, reason.strip()
    if reason and not row.is_failed:
        raise Refusal(say("No check of this evidence failed, so there is nothing to overrule. Nothing was changed."))
    if reason == before:
        return
    row.overruled = reason
    row.full_clean()
    row.save(update_fields=["overruled"])
    # Of the conflict: rows of annotations are called evidence, too.
    Event.record(
        ConflictbankAction.OVERRULED,
        row.claim.conflict,
        actor=admin,
        before={row.claim.cause: before},
        after={row.claim.cause: reason},
    )


@transaction.atomic
def change_settings(*, admin: User | None, **values: Any) -> list[str]:
    """Change the settings of conflicts; returns the names of those that changed."""
    ConflictSettings.objects.get_or_create(pk=1)
    row = ConflictSettings.objects.select_for_update().get(pk=1)
    return change_values(row, ConflictbankAction.CHANGED_SETTINGS, actor=admin, values=values)
