"""People's answers about a sample of evidence: rates by cause, agreement, and each automatic check against them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from core.languages import say
from core.words import plural
from review.models import Adjudication, FinalAnswers, Judgment, Round
from review.reports.agreement.two_people import TwoAnswers, agreement_of_people, two_by_two
from review.reports.layout import (
    Cell,
    Column,
    Note,
    Report,
    Section,
    Table,
    Value,
    estimate_cells,
    estimate_record,
    shown,
    with_interval,
)
from review.reports.scope import Scope
from review.rounds.questionnaires import Answers, Field
from review.statistics.agreement.alpha import krippendorff_alpha
from review.statistics.estimates import Estimate, Undefined, wilson_interval

from ..facts.aside import evidence_in_use
from ..models import Cause, CheckName, CheckOutcome, ConflictSettings, Evidence
from ..questionnaires.evidence import (
    AMBIGUOUSLY,
    CLEARLY,
    COMMON_CODE,
    CONTRADICTS,
    FIELDS,
    PAIRS_CODE,
    REPEATS,
    SUPPORTS,
    YES,
)
from ..questionnaires.precision import ASKED, Confusion, answers_of, confusions
from .tables import MISLEADING

RATES = {
    "supports its claim": (SUPPORTS, YES),
    "clearly contradicts": (CONTRADICTS, CLEARLY),
    "ambiguously contradicts": (CONTRADICTS, AMBIGUOUSLY),
    "repeats the fact": (REPEATS, YES),
}
# Section 2.5 of the paper: pairs checked by hand, and its one ambiguous case in 200.
PRINTED = {
    "accuracy of conflict confirmation": "over 95%",
    "ambiguously conflicting": "1 of 200",
    "agreement": "not printed",
}


@dataclass(frozen=True)
class Rate:
    """The share of evidence of a cause with one answer."""

    cause: str
    name: str
    count: int
    n: int

    @property
    def estimate(self) -> Estimate | Undefined:
        if not self.n:
            return Undefined(say("nobody has answered this yet"))
        interval = wilson_interval(self.count, self.n)
        return Estimate(self.count / self.n, interval, interval)


def people(scope: Scope) -> Report:
    """Rates, agreement and confusion tables of the rounds in this scope."""
    rounds = rounds_of(scope)
    answers = answers_of(rounds)
    rates = list(rates_of(answers))
    common = {field.name: alpha_of(field, rounds) for field in FIELDS}
    pairs = {field.name: kappa_of(field, rounds) for field in FIELDS}
    checks = list(confusions(rounds))
    least = ConflictSettings.current().least_precision
    return Report(
        title=say("Evidence as people see it"),
        lead=_lead(answers, checks, least),
        sections=[
            Section(say("Rates"), table=_rate_table(rates)),
            Section(
                say("Agreement"),
                about=say("Alpha over the texts common to all people; kappa over those that two people judged."),
                table=_agreement_table(common, pairs),
            ),
            *(
                Section(_check_in_words(each), about=_precision_in_words(each), table=_confusion_table(each))
                for each in checks
            ),
        ],
        data={
            "texts": len(answers),
            "rates": _by_cause(rates),
            "alpha": {name: _number(each) for name, each in common.items()},
            "kappa": {name: _number(each) for name, each in pairs.items()},
            "checks": [_confusion_data(each, least) for each in checks],
            "printed": PRINTED,
        },
        records=[
            dict[str, Value](cause=each.cause, rate=each.name, count=each.count, n=each.n)
            | estimate_record("share", each.estimate)
            for each in rates
        ],
        notes=[MISLEADING, *_hidden(scope)],
        empty=say(
            "Nobody has checked evidence yet. Begin a round of the questionnaire that is common to all people, "
            "and one with two people each; their numbers appear here once all have judged a text."
        ),
        about=say(
            "Final answers count: what more than half of the people say, or the adjudicator. Intervals of rates "
            "are Wilson's. A check's precision is the share of its passed texts that people confirm. The paper "
            "reports no agreement."
        ),
    )


def rounds_of(scope: Scope) -> list[Round]:
    """The rounds in this scope; without those in which the reader still judges."""
    found = Round.objects.filter(questionnaire__in=[COMMON_CODE, PAIRS_CODE])
    found = found.exclude(pk__in=[round.pk for round in scope.hidden])
    return list(found.filter(pk=scope.round.pk) if scope.round else found)


def _hidden(scope: Scope) -> Iterator[Note]:
    if scope.hidden and not scope.public:
        yield Note(
            say("Without {rounds}, where you judge until it is finished.", rounds=", ".join(map(str, scope.hidden)))
        )
    elif scope.hidden:
        yield Note(say("Without rounds that are not finished."))


# --- Counted --------------------------------------------------------------------------------------------------------


def rates_of(answers: Mapping[int, Answers]) -> Iterator[Rate]:
    """The rates by cause, and over all conflict evidence."""
    causes = dict(Evidence.objects.filter(pk__in=list(answers)).values_list("pk", "claim__cause"))
    by_cause: dict[str, list[Answers]] = defaultdict(list)
    for number, given in answers.items():
        by_cause[causes[number]].append(given)
    for cause in Cause.values:
        for name, (question, answer) in RATES.items():
            asked = [given[question] for given in by_cause[cause] if question in given]
            if asked or question == SUPPORTS:
                yield Rate(cause, name, asked.count(answer), len(asked))


def judgments_of(rounds: Sequence[Round], questionnaire: str) -> dict[int, list[tuple[int, Answers]]]:
    """(person, answers) of each item in these rounds that all have judged, but those that are set aside."""
    mine = [round for round in rounds if round.questionnaire == questionnaire]
    in_use = evidence_in_use().order_by().values("pk")
    given = Judgment.objects.ordinary().filter(round__in=mine, answers__isnull=False, item__subject_number__in=in_use)
    done = FinalAnswers.objects.filter(round__in=mine).values("item")
    waiting = Adjudication.objects.filter(round__in=mine).values("item")
    complete = given.filter(item__in=done) | given.filter(item__in=waiting)
    found: dict[int, list[tuple[int, Answers]]] = defaultdict(list)
    rows: Iterable[Any] = complete.order_by("item", "number").values_list("item", "reviewer", "answers")
    for item, person, answers in rows:
        found[item].append((person, answers))
    return found


def alpha_of(field: Field, rounds: Sequence[Round]) -> Estimate | Undefined:
    """Krippendorff's alpha on a question, over the texts common to all people."""
    options = [option.value for option in field.options]
    counts = []
    for given in judgments_of(rounds, COMMON_CODE).values():
        said = Counter(answers[field.name] for _, answers in given if field.name in answers)
        if said:
            counts.append([said[option] for option in options])
    return krippendorff_alpha(counts) if counts else Undefined(say("no common text was judged by all people yet"))


def kappa_of(field: Field, rounds: Sequence[Round]) -> Estimate | Undefined:
    """Cohen's kappa on a question, over the texts that two people judged."""
    pairs: list[TwoAnswers] = []
    for number, given in enumerate(judgments_of(rounds, PAIRS_CODE).values()):
        asked = [(person, answers[field.name]) for person, answers in given if field.name in answers]
        pairs += two_by_two(number, asked)
    if not pairs:
        return Undefined(say("no text was judged by two people yet"))
    return agreement_of_people(pairs, [option.value for option in field.options]).kappa


# --- Shown ----------------------------------------------------------------------------------------------------------


def _lead(answers: Mapping[int, Answers], checks: Sequence[Confusion], least: float) -> list[str]:
    if not answers:
        return []
    supported = sum(each[SUPPORTS] == YES for each in answers.values())
    said: list[str] = [
        say(
            "People decided on {texts}; {supported:,} support their claims.",
            texts=plural(len(answers), "text"),
            supported=supported,
        )
    ]
    wrong = [each for each in checks if each.precision is not None and each.precision < least]
    if wrong:
        said.append(
            say(
                "{checks} less precise than {least:f}%, which bars releases until an admin gives a reason.",
                checks=plural(len(wrong), "check is", "checks are"),
                least=shown(least, as_percent=True),
            )
        )
    return said


def _rate_table(rates: Sequence[Rate]) -> Table:
    columns = [
        Column(say("Cause"), words=True),
        Column(say("Answer"), words=True),
        Column("n"),
        *with_interval(Column("%")),
    ]
    rows = [
        [
            Cell(str(Cause(each.cause).label), href=f"{reverse('conflicts')}?cause={each.cause}"),
            Cell(each.name),
            Cell(each.n),
            *estimate_cells(each.estimate, title=say("{count} of {n}", count=each.count, n=each.n), as_percent=True),
        ]
        for each in rates
    ]
    return Table(say("Final answers by cause"), columns, rows)


def _agreement_table(common: Mapping[str, Estimate | Undefined], pairs: Mapping[str, Estimate | Undefined]) -> Table:
    columns = [
        Column(say("Question"), words=True),
        *with_interval(Column(say("Alpha"), title=say("Krippendorff's alpha, over the common texts"))),
        *with_interval(Column(say("Kappa"), title=say("Cohen's kappa, of two people"))),
    ]
    rows = [
        [Cell(field.question), *estimate_cells(common[field.name]), *estimate_cells(pairs[field.name])]
        for field in FIELDS
    ]
    return Table(say("Agreement before merging"), columns, rows)


def _check_in_words(each: Confusion) -> str:
    return say(
        "{check}: {component}", check=CheckName(each.check).label, component=each.component or say("not checked")
    )


def _confusion_table(each: Confusion) -> Table:
    question, _ = ASKED[CheckName(each.check)]
    options = next(field.options for field in FIELDS if field.name == question)
    columns = [
        Column(say("The check"), words=True),
        *(Column(say("People: {label}", label=option.label)) for option in options),
    ]
    rows = [
        [Cell(str(outcome.label)), *(Cell(each.counts[outcome.value, option.value]) for option in options)]
        for outcome in (CheckOutcome.PASSED, CheckOutcome.FAILED, CheckOutcome.NOT_CHECKED)
    ]
    return Table(say("{check}: the check against people", check=_check_in_words(each)), columns, rows)


def _precision_in_words(each: Confusion) -> str:
    if each.precision is None:
        return say("It passed nothing that people judged, so it has no precision.")
    right = shown(each.precision, as_percent=True)
    return say(
        "Precision {right:f}%: of {passed} that it passed, people say the same of {count:,}.",
        right=right,
        passed=plural(each.passed, "text"),
        count=each.right,
    )


def _by_cause(rates: Sequence[Rate]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for each in rates:
        found[each.cause][each.name] = {"count": each.count, "n": each.n, **_number(each.estimate)}
    return found


def _number(number: Estimate | Undefined) -> dict[str, Any]:
    if isinstance(number, Undefined):
        return {"value": None, "reason": number.reason}
    interval = number.interval
    ends = interval if isinstance(interval, Undefined) else [round(interval.low, 4), round(interval.high, 4)]
    return {"value": round(number.value, 4), "interval": ends}


def _confusion_data(each: Confusion, least: float) -> dict[str, Any]:
    precision = each.precision
    return {
        "check": each.check,
        "component": each.component,
        "counts": {f"{outcome}, {answer}": each.counts[outcome, answer] for outcome, answer in sorted(each.counts)},
        "passed": each.passed,
        "precision": Undefined(say("it passed nothing")) if precision is None else round(precision, 4),
        "is_below": precision is not None and precision < least,
    }
