"""The agreement of two verifiers before merging, question by question and type by type; and the outcomes of the
candidates. The paper prints one number of these: 88% for the scope (section 3.2.3).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

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
    number_cell,
    shown,
    with_interval,
)
from review.reports.scope import Scope
from review.rounds.questionnaires import Answers, Field
from review.statistics.agreement.agreement import Agreement
from review.statistics.estimates import Estimate, Undefined

from ..items import SCOPES, TYPES
from ..models import Candidate
from ..questionnaires.verification import QUESTIONNAIRE, SCOPE, TYPE, VERIFICATION, YES_NO

PRINTED_SCOPE = 88


class Compared(NamedTuple):
    """Agreement on one question, or on whether one type applies."""

    code: str
    words: str
    found: Agreement


def verification_report(scope: Scope) -> Report:
    """Agreement of verifiers before merging, raw and kappa, per question and per type."""
    rounds = rounds_of(scope, QUESTIONNAIRE)
    candidate = "item__subject_number"
    pairs = pairs_of(complete_judgments(rounds), candidate if scope.by_instance else document_of(candidate))
    fields = [compare(field, pairs) for field in map(VERIFICATION.field, (*YES_NO, SCOPE))]
    types = [compare_type(name, pairs) for name in TYPES]
    outcomes, expert, notes = outcomes_of(rounds), experts_of(rounds), scope_notes(scope)
    return Report(
        title=say("ContraDoc: agreement of verifiers"),
        lead=_lead(pairs, fields, outcomes, expert) if pairs else (),
        sections=[
            Section(
                say("Questions"), table=table_of_agreements(say("Agreement before merging"), say("Question"), fields)
            ),
            Section(
                say("Types"),
                about=say(
                    "Whether a type applies, of candidates of which both said that they contradict themselves."
                ),
                table=table_of_agreements(say("Agreement before merging, by type"), say("Type"), types),
            ),
            Section(say("Outcomes"), table=_outcome_table(outcomes, expert)),
        ],
        data={
            "pairs": len(pairs),
            "fields": {each.code: data_of_agreement(each.found) for each in fields},
            "types": {each.code: data_of_agreement(each.found) for each in types},
            "outcomes": outcomes,
            "expert_pass": expert,
            "printed": {"scope": PRINTED_SCOPE},
        },
        records=[
            {"kind": kind, "name": each.code, **record_of_agreement(each.found)}
            for kind, compared in (("field", fields), ("type", types))
            for each in compared
        ],
        notes=notes,
        about=say(
            "Every two verifiers of a candidate are a pair, counted once all its judgments count. Kappa is Cohen's, "
            "of a table of two people; with more than two people it is the mean over pairs of people, weighted by "
            "their answers. Where nearly all answers are alike, read AC1 and alpha beside it. Printed in the paper: "
            "88% raw agreement on the scope."
        ),
        empty=say(
            "There is nothing to compare yet. Begin a round that verifies candidates; its numbers appear here once "
            "both people have judged a candidate and neither can take it back."
        ),
    )


def rounds_of(scope: Scope, questionnaire: str) -> list[Round]:
    """The rounds of a questionnaire in this scope; without those in which the reader still judges."""
    rounds = Round.objects.filter(questionnaire=questionnaire).exclude(pk__in=[round.pk for round in scope.hidden])
    return list(rounds.filter(pk=scope.round.pk) if scope.round else rounds)


def scope_notes(scope: Scope) -> list[Note]:
    if scope.public:
        hidden = [Note(say("Without rounds that are not finished."))] if scope.hidden else []
    else:
        names = ", ".join(str(round) for round in scope.hidden)
        hidden = [Note(say("Without {rounds}, where you judge until it is finished.", rounds=names))] if names else []
    return [*hidden, *scope.notes_of_apps()]


def complete_judgments(rounds: Sequence[Round]) -> QuerySet[Judgment]:
    """Judgments with answers of items that are merged or adjudicated, or wait for the adjudicator, item by item."""
    done = FinalAnswers.objects.filter(round__in=rounds).values("item")
    open_ones = Adjudication.objects.filter(round__in=rounds).values("item")
    given = Judgment.objects.ordinary().filter(round__in=rounds, answers__isnull=False)
    complete = given.filter(item__in=done) | given.filter(item__in=open_ones)
    return complete.order_by("item", "number")


def document_of(candidate: str) -> Subquery:
    """The document of the candidate whose number is at this path."""
    return Subquery(Candidate.objects.filter(pk=OuterRef(candidate)).values("document"))


def pairs_of(judgments: QuerySet[Judgment], path: str | Subquery) -> list[TwoAnswers]:
    """Each pair of answers to one item; `path` leads to its group of related documents."""
    rows: Iterable[Any] = judgments.values_list("item", path, "reviewer", "answers")
    by_item: dict[int, list[tuple[int, Answers]]] = {}
    groups: dict[int, Any] = {}
    for item, group, person, answers in rows:
        by_item.setdefault(item, []).append((person, answers))
        groups[item] = group
    numbers = {group: number for number, group in enumerate(sorted(set(groups.values())))}
    return [pair for item, given in by_item.items() for pair in two_by_two(numbers[groups[item]], given)]


def compare(field: Field, pairs: Sequence[TwoAnswers]) -> Compared:
    """Agreement on a question, of candidates on which both were asked."""
    values = [option.value for option in field.options] or list(SCOPES)
    both = [pair for pair in pairs if all(field.name in answers for answers in pair.answers)]
    return Compared(field.name, field.question, agreement_on(both, values, itemgetter(field.name)))


def compare_type(name: str, pairs: Sequence[TwoAnswers]) -> Compared:
    """Agreement on whether a type applies."""
    both = [pair for pair in pairs if all(TYPE in answers for answers in pair.answers)]
    found = agreement_on(both, ["yes", "no"], lambda answers: "yes" if name in answers[TYPE] else "no")
    return Compared(name, name, found)


def agreement_on(pairs: Sequence[TwoAnswers], values: Sequence[str], of: Callable[[Answers], str]) -> Agreement:
    """The agreement of pairs on one part of their answers."""
    said = [pair._replace(answers=(of(pair.answers[0]), of(pair.answers[1]))) for pair in pairs]
    return agreement_of_people(said, values)


def outcomes_of(rounds: Sequence[Round]) -> dict[str, int]:
    """The number of candidates by outcome, in the order of the questionnaire."""
    counts = Counter(FinalAnswers.objects.filter(round__in=rounds).values_list("outcome", flat=True))
    return {outcome: counts[outcome] for outcome in VERIFICATION.outcomes}


def experts_of(rounds: Sequence[Round]) -> dict[str, int]:
    """The number of candidates that went to the expert, and of those still waiting."""
    passed = Adjudication.objects.filter(round__in=rounds)
    return {"all": passed.count(), "waiting": passed.open().count()}


def _lead(
    pairs: Sequence[TwoAnswers], fields: Sequence[Compared], outcomes: dict[str, int], expert: dict[str, int]
) -> list[str]:
    first = fields[0].found
    return [
        say(
            "Two people verified {candidates}. They agree on whether both statements contradict each other in "
            "{share} of them.",
            candidates=plural(len(pairs), "candidate"),
            share=_percent(first.raw),
        ),
        say(
            "{kept} kept, {rejected} rejected, {negative} offered as negatives; {expert} went to the expert, of "
            "which {wait}.",
            **outcomes,
            expert=expert["all"],
            wait=plural(expert["waiting"], "waits", "wait"),
        ),
    ]


def _percent(number: Estimate | Undefined) -> str:
    if isinstance(number, Undefined):
        return str(number)
    return say("{percent:f}%", percent=shown(number.value, as_percent=True))


def table_of_agreements(caption: str, what: str, rows: Sequence[Compared]) -> Table:
    columns = [
        Column(what, words=True),
        Column("n", title=say("Pairs of answers")),
        Column(say("Raw"), title=say("Percent of pairs with the same answer")),
        *with_interval(Column(say("Kappa"), title=say("Cohen's kappa, of two people each"))),
        *with_interval(Column("AC1", title=say("Gwet's AC1, which holds where nearly all answers are alike"))),
        *with_interval(Column(say("Alpha"), title=say("Krippendorff's alpha"))),
    ]
    return Table(caption, columns, [_cells(each) for each in rows])


def _cells(each: Compared) -> list[Cell]:
    found = each.found
    return [
        Cell(each.words),
        Cell(found.n),
        number_cell(found.raw, title=say("of {n}", n=found.n), as_percent=True),
        *(
            cell
            for number in (found.kappa, found.ac1, found.alpha)
            for cell in estimate_cells(number, title=say("of {n}", n=found.n))
        ),
    ]


def _outcome_table(outcomes: dict[str, int], expert: dict[str, int]) -> Table:
    rows = [[Cell(VERIFICATION.outcomes[name]), Cell(count)] for name, count in outcomes.items()]
    rows += [
        [Cell(say("Expert pass")), Cell(expert["all"])],
        [Cell(say("Expert pass, waiting")), Cell(expert["waiting"])],
    ]
    return Table(say("Candidates by outcome"), [Column(say("Outcome"), words=True), Column("n")], rows)


def data_of_agreement(found: Agreement) -> dict[str, Any]:
    """For JSON: percentages to one decimal, coefficients to two, null where undefined; each with its 95% interval, or
    why there is none.
    """
    data: dict[str, Any] = {"n": found.n}
    for name in ("raw", "kappa", "ac1", "alpha"):
        number: Estimate | Undefined = getattr(found, name)
        data[name] = _number(number, as_percent=name == "raw") if isinstance(number, Estimate) else None
        data[f"{name} interval"] = _ends(number, as_percent=name == "raw")
    return data


def _ends(number: Estimate | Undefined, *, as_percent: bool = False) -> list[float] | Undefined:
    interval = number.interval
    if isinstance(interval, Undefined):
        return interval
    return [float(shown(end, as_percent=as_percent)) for end in (interval.low, interval.high)]


def _number(number: Estimate | Undefined, *, as_percent: bool = False) -> float | Undefined:
    return number if isinstance(number, Undefined) else float(shown(number.value, as_percent=as_percent))


def record_of_agreement(found: Agreement) -> dict[str, Value]:
    """The same for CSV."""
    record: dict[str, Value] = {"n": found.n}
    for name in ("raw", "kappa", "ac1", "alpha"):
        number: Estimate | Undefined = getattr(found, name)
        ends = _ends(number, as_percent=name == "raw")
        low, high = (ends, ends) if isinstance(ends, Undefined) else ends
        record |= {name: _number(number, as_percent=name == "raw"), f"{name}_low": low, f"{name}_high": high}
    return record
