"""One candidate with all that it refers to, for tests that need no model."""

import uuid
from typing import Any

from benchmarks.contradoc.models import Candidate, Document, Statement, StatementReply
from judging.models import Attempt, Call, LanguageModel, ModelKind, Run, RunKind

TEXT = "Tom lives in Rome. He has a dog. The dog likes bread. It rains."


def make_candidate(**values: Any) -> Candidate:
    """A candidate that a baseline stands for the writer of."""
    document = Document.objects.create(benchmark="contradoc", code=uuid.uuid4().hex, doc_type="news", text=TEXT)
    options = {"benchmark": "contradoc", "method": "content_insert"}
    run = Run.objects.create(kind=RunKind.GENERATION, purpose="statements", options=options)
    model = LanguageModel.objects.filter(kind=ModelKind.BASELINE)[0]
    call = Call.objects.create(run=run, model=model, purpose="statements", subject_number=document.pk)
    attempt = Attempt.objects.create(call=call, number=1, model=model, request={})
    reply = StatementReply.objects.create(
        run=run, document=document, model=model, method="content_insert", attempt=attempt, reader="test/1", text="[]"
    )
    start = TEXT.index("He has a dog.")
    statement = Statement.objects.create(
        reply=reply,
        document=document,
        number=1,
        original="He has a dog.",
        statement="He has a dog.",
        contradiction="Tom has never had an animal.",
        start=start,
        end=start + len("He has a dog."),
    )
    at = TEXT.index(" It rains.")
    made = {
        "document": document,
        "statement": statement,
        "method": "content_insert",
        "operation": "Insert",
        "start": at,
        "end": at,
        "new_text": " Tom has never had an animal.",
        "digest": uuid.uuid4().hex,
    }
    return Candidate.objects.create(**made | values)
