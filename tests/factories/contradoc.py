"""ContraDoc's documents, statements, candidates as checks leave them, and rounds."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from benchmarks.contradoc.maker.maker import MAKER
from benchmarks.contradoc.making.candidates import digest_of
from benchmarks.contradoc.models import Candidate, CandidateState, Document, Statement, StatementReply
from core.models import User
from judging.models import Attempt, Call, LanguageModel, ModelKind, Run, RunKind, RunState
from review.models import Round
from review.rounds.dealing.dealing import deal_round
from review.rounds.rounds import create_round
from tests.factories.review import make_named_model

ORIGINAL = "The bridge opened in 1903."
CONTRADICTION = "Nobody crossed the bridge before 1950."
TEXT = (
    "The town lies on a river. The bridge opened in 1903. It was the first one of steel. Many people came to see it. "
    "The mill stood beside it. In winter the river froze. The school was built later. A market is held on Fridays."
)


# Another document, with the statement that the tests of generation contradict.
ROME = "Tom lives in Rome. He has a dog. The dog likes bread. Bread is cheap in Rome. Nobody knows why. It rains."
TOM = "Tom lives in Rome. He has a dog. The dog likes bread. It rains."


def content(number: int, label: str) -> dict[str, Any]:
    """A released record, with a contradiction if its label is "pos"."""
    shared = {"label": label, "unique id": f"{number}_1", "doc_type": ("news", "wiki", "story")[number % 3]}
    if label == "neg":
        return {**shared, "text": f"{TEXT} It was number {number}."}
    added = {"evidence": CONTRADICTION, "contra_plug": "Insert", "contra_type": ["Content"], "scope": "global"}
    return {**shared, **added, "text": f"{TEXT} {CONTRADICTION} It was number {number}."}


def make_document(code: str = "7", text: str = TEXT, doc_type: str = "news") -> Document:
    return Document.objects.get_or_create(
        benchmark="contradoc", code=code, defaults={"doc_type": doc_type, "text": text}
    )[0]


def make_documents(*texts: str) -> list[Document]:
    """A document for each text, with the next numbers."""
    return [
        make_document(f"news_{number}", text)
        for number, text in enumerate(texts or [ROME], start=Document.objects.count() + 1)
    ]


def make_statement(document: Document, method: str = "content_insert") -> Statement:
    """A statement about the bridge, as if a model had replied with it."""
    now, model = timezone.now(), make_named_model("Mist")
    run = Run.objects.get_or_create(
        name="made", defaults={"kind": RunKind.IMPORT, "state": RunState.FINISHED, "started_at": now}
    )[0]
    call = Call.objects.create(
        run=run, model=model, purpose="made", subject_number=document.pk, part=method, state="done", attempts_made=1,
        ended_at=now,
    )  # fmt: skip
    attempt = Attempt.objects.create(
        call=call, number=1, model=model, request={}, outcome="answered", raw=b"{}", ended_at=now
    )
    reply = StatementReply.objects.create(
        run=run, document=document, model=model, method=method, attempt=attempt, reader="test 1"
    )
    return statement_in(reply, ORIGINAL, CONTRADICTION)


def statement_in(reply: StatementReply, original: str, contradiction: str) -> Statement:
    start = reply.document.text.index(original)
    return Statement.objects.create(
        reply=reply, document=reply.document, number=1, original=original, statement=original,
        contradiction=contradiction, start=start, end=start + len(original),
    )  # fmt: skip


def make_candidate(code: str = "7", *, insert: bool = True, gap: int = 5, **values: Any) -> Candidate:
    """A candidate that was chosen for verification: the contradiction in a gap, or in place of the original."""
    document = make_document(code)
    statement = make_statement(document, "content_insert" if insert else "content_replace")
    if insert:
        edit = MAKER.insertion(document.text, MAKER.gaps(document.text)[gap].offset, CONTRADICTION)
    else:
        edit = MAKER.insertion(document.text, 0, CONTRADICTION)
        edit = type(edit)(statement.start, statement.end, CONTRADICTION)
    return Candidate.objects.create(
        document=document,
        statement=statement,
        method=statement.reply.method,
        operation="Insert" if insert else "Replace",
        digest=digest_of(edit),
        **{"start": edit.start, "end": edit.end, "new_text": edit.new_text, "state": CandidateState.CHOSEN, **values},
    )


def make_unchecked_candidate() -> Candidate:
    """A candidate of a generation run, without checks; a baseline is named as the writer."""
    document = make_document(uuid.uuid4().hex, TOM)
    options = {"benchmark": "contradoc", "method": "content_insert"}
    run = Run.objects.create(kind=RunKind.GENERATION, purpose="statements", options=options)
    model = LanguageModel.objects.filter(kind=ModelKind.BASELINE)[0]
    call = Call.objects.create(run=run, model=model, purpose="statements", subject_number=document.pk)
    attempt = Attempt.objects.create(call=call, number=1, model=model, request={})
    reply = StatementReply.objects.create(
        run=run, document=document, model=model, method="content_insert", attempt=attempt, reader="test/1", text="[]"
    )
    statement = statement_in(reply, "He has a dog.", "Tom has never had an animal.")
    at = TOM.index(" It rains.")
    return Candidate.objects.create(
        document=document, statement=statement, method="content_insert", operation="Insert", start=at, end=at,
        new_text=f" {statement.contradiction}", digest=uuid.uuid4().hex,
    )  # fmt: skip


def make_questionnaire_round(
    questionnaire: str, admin: User | None, reviewers: Sequence[User], **values: Any
) -> Round:
    """A round with this questionnaire, dealt and open."""
    defaults: dict[str, Any] = {
        "name": f"{questionnaire} {Round.objects.count() + 1}",
        "runs": [],
        "with_training": False,
        "judgments_each": 1 if questionnaire == "contradoc-find" else 2,
    }
    round = create_round(admin=admin, questionnaire=questionnaire, reviewers=reviewers, **defaults | values)
    deal_round(round.pk)
    round.refresh_from_db()
    return round
