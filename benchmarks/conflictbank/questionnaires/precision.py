"""The automatic checks of evidence against the final answers of people, and the bar on releases below a precision."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from core.languages import joined, say
from core.refusals import Refusal
from review.models import FinalAnswers, Round

from ..facts.aside import evidence_in_use
from ..models import CheckName, CheckOutcome, ConflictClassifier, ConflictSettings, EvidenceCheck, TrainingState
from .evidence import CLEARLY, COMMON_CODE, CONTRADICTS, KIND, PAIRS_CODE, SUPPORTS, YES

# The question to people that corresponds to each check, and the answer for which it should pass.
ASKED = {CheckName.ENTAILMENT: (SUPPORTS, YES), CheckName.CONTRADICTION: (CONTRADICTS, CLEARLY)}


@dataclass
class Confusion:
    """A check of one component against people: the numbers of evidence by its outcome and by their answer."""

    check: str
    component: str
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def right(self) -> int:
        """The number of passed texts that people confirm."""
        return self.counts[CheckOutcome.PASSED, ASKED[CheckName(self.check)][1]]

    @property
    def passed(self) -> int:
        """The number of passed texts that people answered."""
        return sum(count for (outcome, _), count in self.counts.items() if outcome == CheckOutcome.PASSED)

    @property
    def precision(self) -> float | None:
        return self.right / self.passed if self.passed else None


def confusions(rounds: Collection[Round] | None = None) -> Iterator[Confusion]:
    """Each check against people's final answers, in these rounds or in all, by component. Of evidence that a
    classifier was trained on, the prediction of one that was trained without it counts.
    """
    found: dict[tuple[str, str], Confusion] = {}
    answers, held_out = answers_of(rounds), held_out_outcomes()
    checks = EvidenceCheck.objects.filter(evidence__in=list(answers), name__in=list(ASKED)).order_by("name", "pk")
    for check in checks:
        question, _ = ASKED[CheckName(check.name)]
        answer = answers[check.evidence_id].get(question)
        if answer is not None:
            confusion = found.setdefault((check.name, check.component), Confusion(check.name, check.component))
            outcome = held_out.get((check.component, check.evidence_id), check.outcome)
            confusion.counts[outcome, answer] += 1
    yield from found.values()


def held_out_outcomes() -> dict[tuple[str, int], str]:
    """The outcomes of a classifier's check, by component and evidence that it was trained on, as a classifier that
    was trained without the conflict predicts them.
    """
    over = ConflictSettings.current().contradiction_over
    return {
        (classifier.component, number): CheckOutcome.PASSED if probability > over else CheckOutcome.FAILED
        for classifier in ConflictClassifier.objects.filter(state=TrainingState.TRAINED)
        for (number, _), probability in zip(classifier.labels, classifier.held_out or [], strict=True)
    }


def answers_of(rounds: Collection[Round] | None = None) -> dict[int, dict[str, str]]:
    """The final answers about each evidence, by its number; none about conflicts that are set aside."""
    final = FinalAnswers.objects.filter(item__subject_kind=KIND, round__questionnaire__in=[COMMON_CODE, PAIRS_CODE])
    final = final.filter(item__subject_number__in=evidence_in_use().order_by().values("pk"))
    if rounds is not None:
        final = final.filter(round__in=rounds)
    return {number or 0: answers for number, answers in final.values_list("item__subject_number", "answers")}


def imprecise_checks() -> list[Confusion]:
    """The checks whose precision by people is below the settings'."""
    least = ConflictSettings.current().least_precision
    return [each for each in confusions() if each.precision is not None and each.precision < least]


def refuse_imprecise() -> None:
    """Raises Refusal if a check is below the least precision, unless an admin gave a reason."""
    settings = ConflictSettings.current()
    wrong = imprecise_checks()
    if wrong and not settings.bar_lifted:
        each_said = [
            say(
                "{check} ({component}): {right} of {passed}",
                check=CheckName(each.check).label,
                component=each.component or say("not checked"),
                right=each.right,
                passed=each.passed,
            )
            for each in wrong
        ]
        raise Refusal(
            say(
                "By people, a check is less precise than {least:.0f}%: {said}. Nothing was released. An "
                "admin can give a reason to release nevertheless, on the page “Settings of ConflictBank”.",
                least=100 * settings.least_precision,
                said=joined(each_said, "; "),
            )
        )
