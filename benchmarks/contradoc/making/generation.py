"""Runs that ask models for statements of documents and their contradictions: planned, asked, and read again."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from core.engine.writing.pieces import few_at_a_time, in_pieces
from core.languages import say
from core.models import Event
from core.refusals import Refusal
from judging.catalogue.purposes import Answered, Made, Messages, PlannedCall, Planning, Purpose
from judging.models import Call, CallState, LanguageModel, ModelKind, Run, RunKind
from judging.protocol.prompts import chat_messages
from judging.runs.plan import Plan, Planner, plan_with
from judging.runs.runs import Actor, check_models, save_planned

from ..maker.maker import MAKER
from ..maker.pattern import PATTERN, pattern_statements
from ..maker.values import Maker, Method, method_of
from ..models import ContradocAction, Document, StatementReply
from .candidates import read_into, store_reply
from .listing import statements_in_numbers, unread_replies

# Tokens that one statement with its contradiction is expected to take, under the names of its keys.
TOKENS_A_STATEMENT = 90


def create_generation_run(
    *,
    maker: Maker,
    method: str,
    language_models: Collection[LanguageModel],
    actor: Actor = None,
    **columns: object,
) -> Run:
    """Create a planned run that asks for statements of every document of a benchmark. Its name, its budget and its
    settings are `columns` of the run. Nothing is asked before `start_run`. Raises Refusal if there is no such method
    or no document, or a model cannot be asked.
    """
    run = unsaved_run(maker, method, language_models, **columns)
    return save_planned(run, actor=actor, told={"method": method}, language_models=language_models)


def plan_generation(*, maker: Maker, method: str, language_models: Collection[LanguageModel], **columns: Any) -> Plan:
    """The plan of the run that `create_generation_run` would create with the same arguments. Nothing is written.
    Raises Refusal as it does."""
    run = unsaved_run(maker, method, language_models, **columns)
    return plan_with(Planner(run, language_models=language_models))


def unsaved_run(maker: Maker, method: str, language_models: Collection[LanguageModel], **columns: object) -> Run:
    method_of(maker, method)
    options = {"benchmark": maker.benchmark, "method": method}
    run = Run(kind=RunKind.GENERATION, purpose=ForStatements.code, options=options, **columns)
    check_models(language_models, budget=run.budget, in_batches=run.in_batches)
    for model in language_models:
        if model.kind == ModelKind.BASELINE and model.endpoint_name != PATTERN:
            raise Refusal(
                say("{model} is a baseline and writes no statements. Nothing was planned.", model=model), status=400
            )
    if not documents_of(maker.benchmark).exists():
        raise Refusal(
            say("There are no documents yet. Import some with: manage.py import_documents FILE. Nothing was planned.")
        )
    return run


def documents_of(benchmark: str) -> QuerySet[Document]:
    return Document.objects.filter(benchmark=benchmark).order_by("pk")


def likely_cut(models: Collection[LanguageModel], method: Method) -> list[LanguageModel]:
    """The models whose token limit is probably too low for this number of statements."""
    needed = method.asks_for * TOKENS_A_STATEMENT
    return [model for model in models if model.max_tokens is not None and model.max_tokens < needed]


class ForStatements(Purpose):
    """The purpose of asking a model for statements of a document and their contradictions."""

    code, kind = "statements", RunKind.GENERATION
    template = "contradoc/_call_statements.html"
    run_template, links_template = "contradoc/_run_of_statements.html", "contradoc/_links_of_statements.html"

    def made(self, run: Run) -> list[Made]:
        return statements_in_numbers(run)

    # --- Asking ---------------------------------------------------------------------------------------------------

    def planned(self, planner: Planning) -> Iterator[PlannedCall]:
        run = planner.run
        method = method_of(MAKER, run.options["method"])
        there = set(planner.calls.values_list("subject_number", "model_id"))
        before = self.answered_before(planner, method) if run.only_missing else set()
        for document in few_at_a_time(documents_of(MAKER.benchmark)):
            messages = statement_messages(document, method)
            for model in planner.language_models:
                plan = planner.by_model[model.pk]
                if (document.pk, model.pk) in there:
                    plan.already_there += 1
                elif (document.pk, model.pk) in before:
                    plan.answered_before += 1
                else:
                    columns = planner.columns(self.code, model.pk, subject_number=document.pk)
                    yield PlannedCall(columns, messages)

    def answered_before(self, planner: Planning, method: Method) -> set[tuple[int, int]]:
        """(document, model) of each readable reply in other runs with the same method."""
        read = StatementReply.objects.filter(model__in=planner.language_models, method=method.code, problem="")
        return set(read.exclude(run_id=planner.run.pk).values_list("document_id", "model_id"))

    def subjects(self) -> QuerySet:
        return Document.objects.all()

    def messages(self, call: Call) -> Messages:
        if call.subject is None:
            raise ValueError("The document of this call no longer exists.")
        return statement_messages(call.subject, method_of(MAKER, call.run.options["method"]))

    def baseline_reply(self, call: Call) -> str:
        if call.model.endpoint_name != PATTERN:
            raise KeyError(call.model.endpoint_name)
        if call.subject is None:
            raise ValueError("The document of this call no longer exists.")
        return pattern_statements(call.subject.text, method_of(MAKER, call.run.options["method"]))

    # --- The outcome ----------------------------------------------------------------------------------------------

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        runs = Run.objects.in_bulk({call.run_id for call, _, _ in answered})
        documents = self.subjects().in_bulk({call.subject_number for call, _, _ in answered})
        for call, attempt, reply in answered:
            document = documents[call.subject_number]
            store_reply(call, attempt, reply, run=runs[call.run_id], document=document, now=now)

    def outputs(self, run: Run) -> QuerySet:
        return run.statement_replies.all()

    def unreadable(self, run: Run) -> QuerySet[Call]:
        unread = StatementReply.objects.filter(
            run=run, document=OuterRef("subject_number"), model=OuterRef("model")
        ).exclude(problem="")
        return run.calls.filter(Exists(unread), state=CallState.DONE)

    # --- On pages -------------------------------------------------------------------------------------------------

    def title(self, call: Call) -> str:
        return f"{call.model} contradicts statements of a document"

    def about(self, call: Call) -> Mapping[str, Any]:
        document = call.subject or self.subjects().filter(pk=call.subject_number).first()
        reply = StatementReply.objects.filter(run=call.run_id, model=call.model_id, document=document).first()
        return {"document": document, "reply": reply}


def statement_messages(document: Document, method: Method) -> Messages:
    """The single message of the released program: the prompt, and the unchanged document."""
    return chat_messages(method.prompt + document.text, empty_system=False)


def read_again(*, run: Run, actor: Actor = None) -> tuple[int, int]:
    """Read the unreadable replies of a run with the current reader, without calling or paying again; returns their
    number, and the number that can be read now.
    """
    method = method_of(MAKER, run.options["method"])
    numbers, read = list(unread_replies(run).values_list("pk", flat=True)), 0

    def write(piece: list[int]) -> None:
        nonlocal read
        found = unread_replies(run).select_for_update(of=("self",)).select_related("document").filter(pk__in=piece)
        for stored in found:
            read_into(stored, MAKER, method)
            read += not stored.problem

    in_pieces(numbers, write)
    if read:
        Event.record(ContradocAction.READ_AGAIN, run, actor=actor, after={"replies": read})
    return len(numbers), read
