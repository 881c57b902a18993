"""Runs by the purpose of their calls, for the kill drill and the throughput: how each is started, and the rows that
its replies must become.
"""

import io
import json
from collections.abc import Iterator
from typing import Any

from django.core.management import call_command
from django.db.models import QuerySet

from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.evidence.generation import PATTERN_LABEL
from benchmarks.conflictbank.models import Cause, CheckName, CheckOutcome, Conflict, EvidenceCheck, MeasuredState
from benchmarks.contradoc.maker.maker import MAKER
from benchmarks.contradoc.making.generation import create_generation_run
from benchmarks.contradoc.models import Candidate, Document, Statement
from judging.models import LanguageModel, PromptTemplate, Run
from judging.runs.runs import create_run, start_run
from judging.tasks import call_models, send_batches
from speed.laboratory import make_release
from tests.factories.conflictbank import bring_in, residents

# The found and the expected number, which must be equal.
Counted = Iterator[tuple[str, int, int]]


class Asking:
    """One purpose of calls to a model."""

    # The server's answer to each call.
    answer = "The answer."

    def __init__(self, model: LanguageModel, calls: int, *, in_batches: bool = False):
        self.model, self.calls, self.in_batches = model, calls, in_batches

    def prepare(self) -> None:
        """Write the subjects of the calls."""

    def start(self) -> Run:
        run = start_run(run=self.create())
        (send_batches if self.in_batches else call_models).delay()
        return run

    def create(self) -> Run:
        raise NotImplementedError

    def stored(self, run: Run) -> QuerySet:
        """The rows of stored replies, each with its attempt."""
        raise NotImplementedError

    def counts(self, run: Run, stored: int) -> Counted:
        """Counts of the results of this number of stored replies."""
        yield from ()


class Answers(Asking):
    """Answers to questions of a release."""

    def prepare(self) -> None:
        self.release = make_release(self.calls)

    def create(self) -> Run:
        return create_run(
            release=self.release,
            language_models=[self.model],
            templates=PromptTemplate.objects.filter(code="5"),
            in_batches=self.in_batches,
        )

    def stored(self, run: Run) -> QuerySet:
        return run.responses.all()


class Statements(Asking):
    """Statements of one document per call; each reply is one statement, with its candidates: a replacement, and an
    insertion at each of the gaps that are left.
    """

    text = "Tom lives in Rome. The dog likes bread. Nobody knows why. It rains."
    candidates = 3
    answer = json.dumps([{"statement": "The dog likes bread.", "contradiction": "The dog has never liked bread."}])

    def prepare(self) -> None:
        Document.objects.bulk_create(
            Document(
                benchmark="contradoc", code=str(number), doc_type="news", text=f"{self.text} It is day {number}."
            )
            for number in range(self.calls)
        )

    def create(self) -> Run:
        return create_generation_run(
            maker=MAKER,
            method="content_insert",
            language_models=[self.model],
            in_batches=self.in_batches,
        )

    def stored(self, run: Run) -> QuerySet:
        return run.statement_replies.all()

    def counts(self, run: Run, stored: int) -> Counted:
        statements = Statement.objects.filter(reply__run=run).count()
        yield "statements of the replies", statements, stored
        candidates = Candidate.objects.filter(statement__reply__run=run).count()
        yield "candidates of the statements", candidates, self.candidates * statements


class ConflictEvidence(Asking):
    """Evidence for claims, four of each fact, as `start_generation --benchmark conflictbank` asks for it."""

    answer = "The town's register of that year, which all may read, has the entry that was expected."

    def prepare(self) -> None:
        """Make claims of new facts, with the descriptions of subjects that semantic claims need."""
        bring_in(residents(-(-self.calls // len(Cause))))
        make_claims(seed=7)
        Conflict.objects.update(semantic_description="namesake in another town")

    def start(self) -> Run:
        return self.ask("start_generation", models=[self.model.name], batches=self.in_batches)

    def ask(self, command: str, **options: Any) -> Run:
        """The run that a command of the program starts."""
        call_command(command, benchmark="conflictbank", yes=True, stdout=io.StringIO(), **options)
        return Run.objects.latest("pk")

    def stored(self, run: Run) -> QuerySet:
        return run.conflict_evidence.all()

    def counts(self, run: Run, stored: int) -> Counted:
        yield "claims with evidence", run.conflict_evidence.values("claim").distinct().count(), stored


class ConflictChecks(ConflictEvidence):
    """Labels that say whether evidence entails its claim, as `run_checks --benchmark conflictbank` asks for them. The
    evidence is a pattern's, by a run without kills.
    """

    answer = "entailment"

    def prepare(self) -> None:
        super().prepare()
        self.ask("start_generation", models=[PATTERN_LABEL], here=True)

    def start(self) -> Run:
        return self.ask("run_checks", component_entailment=self.model.name)

    def stored(self, run: Run) -> QuerySet:
        return run.measured_pairs.filter(state=MeasuredState.MEASURED)

    def counts(self, run: Run, stored: int) -> Counted:
        checks = EvidenceCheck.objects.filter(name=CheckName.ENTAILMENT)
        yield "checks passed by these replies", checks.filter(outcome=CheckOutcome.PASSED).count(), stored
        yield "checks that still wait", checks.filter(outcome=CheckOutcome.WAITING).count(), self.calls - stored


RUNS: dict[str, type[Asking]] = {
    "answers": Answers,
    "statements": Statements,
    "evidence": ConflictEvidence,
    "checks": ConflictChecks,
}
