"""The numbers of claims and evidence before and after each step of the making, by cause."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from core.languages import say
from judging.models import LanguageModel

from ..facts.aside import claims_in_use
from ..models import Cause, CheckName, CheckOutcome, Evidence, EvidenceCheck
from .checking import counting

CLAIMS, EVIDENCE, CONFIRMED = "claims", "evidence", "confirmed"
STEPS = {
    CLAIMS: say("Claim construction"),
    EVIDENCE: say("Evidence generation"),
    CheckName.REFUSAL.value: say("Feature filtering"),
    CheckName.ENTAILMENT.value: say("NLI checking"),
    CheckName.CONTRADICTION.value: say("Conflict confirmation"),
    CONFIRMED: say("Left for all causes"),
}


@dataclass
class Step:
    """One step and one cause: the numbers of inputs, failed, unchecked and waiting texts. The rest passed."""

    step: str
    cause: str
    inputs: int = 0
    failed: int = 0
    not_checked: int = 0
    waiting: int = 0
    overruled: int = 0

    @property
    def survivors(self) -> int:
        """The number of texts left: passed, not checked or overruled."""
        return self.inputs - self.failed + self.overruled - self.waiting


@dataclass
class Pipeline:
    """All steps of the evidence of one model."""

    model: str
    steps: list[Step] = field(default_factory=list)

    def step(self, step: str, cause: str) -> Step:
        return next(each for each in self.steps if (each.step, each.cause) == (step, cause))


def pipelines() -> Iterator[Pipeline]:
    """The steps of each model that wrote evidence; of claims alone, if none did. Conflicts that are set aside are in
    no number.
    """
    claims = claims_in_use()
    made = dict(claims.order_by().values_list("cause").annotate(n=Count("pk")))
    written = LanguageModel.objects.filter(pk__in=counting().order_by().values("model")).order_by("name")
    models: list[LanguageModel | None] = [*written] or [None]
    for model in models:
        yield Pipeline(str(model or ""), list(steps_of(model, made)))


def steps_of(model: LanguageModel | None, made: dict[str, int]) -> Iterator[Step]:
    evidence = counting().filter(model=model) if model else Evidence.objects.none()
    written = dict(evidence.order_by().values_list("claim__cause").annotate(n=Count("pk")))
    yield from (Step(CLAIMS, cause, made.get(cause, 0)) for cause in Cause.values)
    yield from (Step(EVIDENCE, cause, written.get(cause, 0)) for cause in Cause.values)
    inputs = Counter(written)
    for check in CheckName:
        for cause in Cause.values:
            if check == CheckName.CONTRADICTION and cause == Cause.DEFAULT:
                continue
            step = counted(Step(check.value, cause, inputs[cause]), model)
            inputs[cause] = step.survivors
            yield step
    whole = whole_conflicts(model) if model else Evidence.objects.none()
    confirmed, not_checked = whole.count(), whole.filter(Exists(unchecked(model))).count()
    yield from (Step(CONFIRMED, cause, confirmed, not_checked=not_checked) for cause in Cause.values)


def counted(step: Step, model: LanguageModel | None) -> Step:
    """The step with the outcomes of its check; evidence without an outcome is waiting."""
    evidence = counting().filter(model=model, claim__cause=step.cause)
    checks = EvidenceCheck.objects.filter(name=step.step, evidence__in=evidence)
    outcomes = dict(checks.order_by().values_list("outcome").annotate(n=Count("pk")))
    step.failed = outcomes.get(CheckOutcome.FAILED, 0)
    step.overruled = checks.filter(outcome=CheckOutcome.FAILED).exclude(evidence__overruled="").count()
    step.not_checked = outcomes.get(CheckOutcome.NOT_CHECKED, 0)
    step.waiting = max(0, step.inputs - step.failed - step.not_checked - outcomes.get(CheckOutcome.PASSED, 0))
    return step


def components_used() -> list[tuple[str, str, int]]:
    """The name of each check, the component that made it, and for how many texts."""
    rows = EvidenceCheck.objects.exclude(component="").order_by().values_list("name", "component")
    found = rows.annotate(n=Count("pk")).order_by("name", "component")
    return [(str(CheckName(name).label), component, count) for name, component, count in found]


def whole_conflicts(model: LanguageModel) -> QuerySet[Evidence]:
    """The default evidence of conflicts all of whose evidence by this model survived all of its checks."""
    default = surviving(Evidence.objects.filter(model=model, claim__cause=Cause.DEFAULT), CheckName.ENTAILMENT)
    for cause in Cause.of_conflict():
        of_cause = Evidence.objects.filter(
            model=model, claim__cause=cause, claim__conflict=OuterRef("claim__conflict")
        )
        default = default.filter(Exists(surviving(of_cause, CheckName.CONTRADICTION)))
    return default.filter(pk__in=counting().order_by().values("pk"))


def unchecked(model: LanguageModel | None) -> QuerySet[EvidenceCheck]:
    """Checks that were not made, of this model's evidence for any claim of the conflict of a default evidence."""
    return EvidenceCheck.objects.filter(
        outcome=CheckOutcome.NOT_CHECKED, evidence__model=model, evidence__claim__conflict=OuterRef("claim__conflict")
    )


def surviving(evidence: QuerySet[Evidence], last: CheckName) -> QuerySet[Evidence]:
    """The evidence whose checks up to this one are decided without a failure, or which was overruled."""
    checks = EvidenceCheck.objects.filter(evidence=OuterRef("pk"))
    decided = Exists(checks.filter(name=last).exclude(outcome=CheckOutcome.WAITING))
    failed = Exists(checks.filter(outcome=CheckOutcome.FAILED))
    return evidence.filter(Q(decided & ~Q(failed)) | ~Q(overruled=""))
