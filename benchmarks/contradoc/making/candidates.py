"""Turns a model's reply into statements, and these into candidates: all in the transaction that stores the reply, so
that none is lost or doubled.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime

from judging.catalogue.readings import NO_REPLY
from judging.endpoints.replies import ChatReply
from judging.models import Attempt, Call, Mark, Run
from judging.runs.calls.outputs import output_values

from ..maker.maker import MAKER
from ..maker.values import Edit, Maker, Method, ReadReply, ReadStatement, method_of
from ..models import Candidate, Document, Operation, Statement, StatementReply


def store_reply(
    call: Call, attempt: Attempt, reply: ChatReply, *, run: Run, document: Document, now: datetime
) -> None:
    """Store a model's reply about a document: the reply, its statements, and their candidates. An unreadable reply is
    replaced by the one to a repeated call.
    """
    StatementReply.objects.filter(run=run, document=document, model=call.model_id).exclude(problem="").delete()
    method = method_of(MAKER, run.options["method"])
    stored = StatementReply(
        run=run,
        document=document,
        model_id=call.model_id,
        method=method.code,
        attempt=attempt,
        reader=MAKER.reader,
        **output_values(attempt, reply, now),
    )
    read_into(stored, MAKER, method)


def read_into(stored: StatementReply, maker: Maker, method: Method) -> None:
    """Read a reply, and save it with its statements and candidates. Call it in a transaction."""
    mark = Mark(stored.mark)
    read = ReadReply(problem=NO_REPLY[mark]) if mark in NO_REPLY else maker.read(stored.text, method)
    stored.problem = read.problem
    if read.problem and mark != Mark.COMPLETE:
        stored.problem = f"{mark.label}. {read.problem}"
    stored.reader = maker.reader
    stored.save()
    text = stored.document.text
    statements = Statement.objects.bulk_create(
        statement_row(stored, number, each, maker) for number, each in enumerate(read.statements, start=1)
    )
    candidates = [
        candidate
        for statement, each in zip(statements, read.statements, strict=True)
        if not statement.is_refused
        for candidate in candidates_of(statement, each, method, maker, text)
    ]
    # Two statements of one document can make the same edit: it is one candidate.
    Candidate.objects.bulk_create(candidates, ignore_conflicts=True)


def statement_row(stored: StatementReply, number: int, read: ReadStatement, maker: Maker) -> Statement:
    statement = Statement(reply=stored, document=stored.document, number=number, **asdict(read))
    if read.problem:
        return statement
    found = maker.locate(stored.document.text, read.original)
    statement.start, statement.end = found.start, found.end
    if found.start is None:
        statement.problem = "Its original sentence is not in the document."
        statement.near_start, statement.near_end = found.near_start, found.near_end
    return statement


def candidates_of(
    statement: Statement, read: ReadStatement, method: Method, maker: Maker, text: str
) -> Iterator[Candidate]:
    if statement.start is None or statement.end is None:
        return
    for edit in maker.edits(text, (statement.start, statement.end), read, method):
        yield candidate_of(statement, edit, method.code)


def candidate_of(statement: Statement, edit: Edit, method: str, *, moved_from: Candidate | None = None) -> Candidate:
    """The unsaved candidate for an edit of a statement."""
    return Candidate(
        document_id=statement.document_id,
        statement=statement,
        moved_from=moved_from,
        method=method,
        operation=Operation.INSERT if edit.start == edit.end else Operation.REPLACE,
        digest=digest_of(edit),
        **asdict(edit),
    )


def digest_of(edit: Edit) -> str:
    """A digest that is equal for equal edits of a document."""
    return hashlib.sha256(json.dumps([edit.start, edit.end, edit.new_text]).encode()).hexdigest()
