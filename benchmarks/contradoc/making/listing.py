"""Documents, candidates and replies for admins' lists and pages."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from django import forms
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.urls import reverse

from core.languages import say
from core.lists.filters import Filters, RowField, SearchField
from core.lists.search import found_in, search_note
from judging.catalogue.purposes import Made
from judging.making.check_runs import count_checks
from judging.making.registry import CheckCounts
from judging.models import Run

from ..maker.values import Maker
from ..models import (
    Candidate,
    CandidateState,
    Check,
    CheckOutcome,
    Document,
    Statement,
    StatementReply,
)

# The number of a document's candidates listed on its page.
MOST_LISTED = 200


class DocumentFilters(Filters):
    """The filters of the list of documents."""

    q = SearchField(label=say("Document"))
    search_note = search_note(say("documents"), say("documents"))

    def documents(self) -> QuerySet[Document]:
        found = Document.objects.all()
        return found.filter(pk__in=found_in(found, "code", self.chosen["q"])) if self.chosen["q"] else found


class CandidateFilters(Filters):
    """The filters of the list of candidates."""

    state = forms.ChoiceField(choices=CandidateState.choices, widget=forms.HiddenInput)
    run = RowField()
    # Candidates with this outcome of a check, by its code, or of any check.
    outcome = forms.ChoiceField(choices=CheckOutcome.choices, widget=forms.HiddenInput)
    check = forms.SlugField(max_length=40, widget=forms.HiddenInput)

    def candidates(self) -> QuerySet[Candidate]:
        found = Candidate.objects.all()
        if self.chosen["outcome"]:
            checks = Check.objects.filter(candidate=OuterRef("pk"), outcome=self.chosen["outcome"])
            found = found.filter(Exists(checks.filter(name=self.chosen["check"]) if self.chosen["check"] else checks))
        if self.chosen["state"]:
            found = found.filter(state=self.chosen["state"])
        return found.filter(statement__reply__run=self.chosen["run"]) if self.chosen["run"] else found


class Piece(NamedTuple):
    """A piece of a document. `kind` is "" for plain text, or original, goes on (the original statement after a gap or
    an insertion), replaced, introduced; where people click, also sentence, gap. The last two have a number, which the
    form sends.
    """

    kind: str
    text: str
    number: int = 0


def pieces_of(candidate: Candidate, gaps: Mapping[int, int]) -> Iterator[Piece]:
    """The document with the edit marked in it, and the replaced text before the new sentence. `gaps` are the numbers
    of those that can be clicked, by their offsets.
    """
    text, edit, said = candidate.document.text, candidate, candidate.statement
    ends = sorted({0, len(text), edit.start, edit.end, said.start or 0, said.end or 0, *gaps})
    for first, last in zip(ends, [*ends[1:], len(text)], strict=True):
        if first in gaps:
            yield Piece("gap", "", gaps[first])
        if first == edit.start == edit.end:
            yield from new_pieces(candidate)
        if first < last:
            yield Piece(kind_at(candidate, first), text[first:last])
        if first < last == edit.end and edit.start < edit.end:
            yield from new_pieces(candidate)


def kind_at(candidate: Candidate, at: int) -> str:
    said = candidate.statement
    if candidate.start <= at < candidate.end:
        return "replaced"
    start = said.start or 0
    return "" if not start <= at < (said.end or 0) else "original" if at == start else "goes on"


def new_pieces(candidate: Candidate) -> Iterator[Piece]:
    """The new sentence, and the white space around it."""
    new, sentence = candidate.new_text, candidate.sentence
    before = len(new) - len(new.lstrip())
    yield Piece("", new[:before])
    yield Piece("introduced", sentence)
    yield Piece("", new[before + len(sentence) :])


def checks_of(candidates: Iterable[Candidate]) -> dict[int, list[Check]]:
    """The checks of these candidates, by candidate, in one query."""
    found: dict[int, list[Check]] = defaultdict(list)
    rows = Check.objects.filter(candidate__in=[each.pk for each in candidates])
    for check in rows.order_by("candidate_id", "pk"):
        found[check.candidate_id].append(check)
    return found


def counts_by_document(documents: Iterable[Document]) -> dict[int, int]:
    """The number of candidates of each of these documents."""
    rows = Candidate.objects.filter(document__in=[each.pk for each in documents])
    return dict(rows.values_list("document").annotate(n=Count("pk")).order_by())


def check_counts(maker: Maker) -> list[CheckCounts]:
    """The outcomes of the checks of a benchmark's candidates, by check."""
    checks = Check.objects.filter(candidate__document__benchmark=maker.benchmark)
    return count_checks(checks, {kind.code: kind.name for kind in maker.checks})


def unread_replies(run: Run) -> QuerySet[StatementReply]:
    return run.statement_replies.exclude(problem="")


def refused_statements(run: Run) -> QuerySet[Statement]:
    return Statement.objects.filter(reply__run=run).exclude(problem="")


def statements_in_numbers(run: Run) -> list[Made]:
    """The results of a run that asks for statements. Statements and replies without candidates have a list."""
    statements = Statement.objects.filter(reply__run=run)
    unread, refused = unread_replies(run).count(), refused_statements(run).count()
    listed = reverse("run_statements", args=[run.pk])
    return [
        Made("replies", say("replies read"), run.statement_replies.filter(problem="").count()),
        Made("unreadable", say("unreadable replies"), unread, f"{listed}?show=unread", is_problem=True),
        Made("statements", "statements", statements.count()),
        Made(
            "refused",
            say("refused statements"),
            refused,
            f"{listed}?show=refused",
            is_problem=True,
        ),
        Made("candidates", "candidates", Candidate.objects.filter(statement__reply__run=run).count()),
    ]
