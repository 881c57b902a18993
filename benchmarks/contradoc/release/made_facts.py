"""Counts facts about the making of a release of candidates from its rows when it is made: they may change
afterwards.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from core.models import Batch
from judging.models import LanguageModel, Run
from review.models import Adjudication, AdjudicationCause, FinalAnswers, HowMerged, Item, Judgment, Round
from review.statistics.estimates import Estimate, Undefined

from .. import items as item
from ..maker.maker import MAKER
from ..models import Candidate, CandidateState, Check, CheckOutcome, Document, Statement, StatementReply
from ..questionnaires.knowing import CANDIDATE
from ..questionnaires.verification import KEPT, NEGATIVE, OUTCOMES, SCOPE, VERIFICATION, YES_NO
from ..reports.agreement import compare, complete_judgments, document_of, pairs_of

Facts = dict[str, Any]


def facts_of(rounds: Collection[Round], contents: Sequence[Facts], *, with_clean: bool = False) -> Facts:
    """Facts about the making of the documents with these contents, verified in these rounds, as plain JSON.
    `with_clean` if all clean documents are offered as negatives.
    """
    items = Item.objects.filter(subject_kind=CANDIDATE, round__in=rounds)
    verified = Candidate.objects.filter(pk__in=items.values("subject_number"))
    runs = Run.objects.filter(statement_replies__statements__candidates__in=verified).distinct()
    made = Candidate.objects.filter(statement__reply__run__in=runs)
    finals = FinalAnswers.objects.filter(round__in=rounds)
    kept_items = items.filter(final_answers__in=finals.filter(outcome=KEPT))
    kept = Candidate.objects.filter(pk__in=kept_items.values("subject_number"))
    return {
        "composition": _composition(contents, finals),
        "documents": _documents(None if with_clean else runs),
        "generation": _generation(runs),
        "candidates": {state: made.filter(state=state).count() for state in CandidateState.values},
        "checks": _checks(made, kept),
        "verification": _verification(list(rounds), finals),
        "defects": _defects(contents, finals, kept),
    }


def _composition(contents: Sequence[Facts], finals: QuerySet[FinalAnswers]) -> Facts:
    sides = Counter(content[item.LABEL] for content in contents)
    edited = finals.filter(outcome=NEGATIVE).count()
    clean = sides[item.NEGATIVE] - edited
    return {"positive": sides[item.LABELS[0]], "edited_negative": edited, "clean_negative": clean}


def _documents(runs: QuerySet[Run] | None) -> Facts:
    """The clean documents of these runs, or all, and the files that they were imported from."""
    documents = Document.objects.filter(benchmark=item.CODE)
    if runs is not None:
        documents = documents.filter(Exists(StatementReply.objects.filter(document=OuterRef("pk"), run__in=runs)))
    counts: dict[int | None, int] = dict(documents.order_by().values_list("batch").annotate(n=Count("pk")))
    batches = Batch.objects.filter(pk__in=[pk for pk in counts if pk]).exclude(source={}).order_by("pk")
    files = [{**batch.source, "records": counts[batch.pk]} for batch in batches]
    total = sum(counts.values())
    return {"all": total, "files": files, "not_recorded": total - sum(each["records"] for each in files)}


def _generation(runs: QuerySet[Run]) -> list[Facts]:
    """By method and model: the prompt, and the numbers of replies, statements and candidates."""
    replies = StatementReply.objects.filter(run__in=runs)
    pairs = sorted(set(replies.values_list("method", "model_id")))
    models = LanguageModel.objects.in_bulk({model for _, model in pairs})
    return [_made_by(replies.filter(method=code, model=model), code, models[model]) for code, model in pairs]


def _made_by(replies: QuerySet[StatementReply], code: str, model: LanguageModel) -> Facts:
    method = MAKER.methods.get(code)
    statements = Statement.objects.filter(reply__in=replies)
    candidates = Candidate.objects.filter(statement__reply__in=replies)
    prompt = method.prompt if method else ""
    return {
        "method": code,
        "name": method.name if method else code,
        "prompt": prompt,
        "prompt_sha256": hashlib.sha256(prompt.encode()).hexdigest() if prompt else "",
        "readers": sorted(set(replies.order_by().values_list("reader", flat=True))),
        "model": model.name,
        "endpoint_name": model.endpoint_name,
        "decoding": model.decoding,
        "replies": replies.count(),
        "unreadable": replies.exclude(problem="").count(),
        "statements": statements.count(),
        "refused": statements.exclude(problem="").count(),
        "candidates": candidates.count(),
        "verified": candidates.filter(state=CandidateState.VERIFIED).count(),
    }


def _checks(made: QuerySet[Candidate], kept: QuerySet[Candidate]) -> list[Facts]:
    return [_check(kind.code, kind.name, made, kept) for kind in MAKER.checks]


def _check(code: str, name: str, made: QuerySet[Candidate], kept: QuerySet[Candidate]) -> Facts:
    rows = Check.objects.filter(name=code, candidate__in=made).order_by()
    decided = rows.exclude(threshold=None)
    reasons = rows.filter(outcome=CheckOutcome.NOT_CHECKED).values_list("reason").annotate(n=Count("pk"))
    passed = Check.objects.filter(name=code, candidate=OuterRef("pk"), outcome=CheckOutcome.PASSED)
    return {
        "code": code,
        "name": name,
        "thresholds": sorted(
            [operation, threshold]
            for operation, threshold in set(decided.values_list("candidate__operation", "threshold"))
        ),
        "components": sorted(set(rows.exclude(component="").values_list("component", flat=True))),
        "extents": sorted(set(rows.exclude(extent="").values_list("extent", flat=True))),
        "outcomes": {outcome: rows.filter(outcome=outcome).count() for outcome in CheckOutcome.values},
        "without": made.exclude(Exists(Check.objects.filter(name=code, candidate=OuterRef("pk")))).count(),
        "reasons": dict(sorted(reasons)),
        "released_not_passed": kept.exclude(Exists(passed)).count(),
    }


def _verification(rounds: list[Round], finals: QuerySet[FinalAnswers]) -> Facts:
    given = complete_judgments(rounds)
    pairs = pairs_of(given, document_of("item__subject_number"))
    passed = Adjudication.objects.filter(round__in=rounds)
    adjudicated = finals.filter(how=HowMerged.ADJUDICATED)
    ordinary = Judgment.objects.ordinary().filter(round__in=rounds, judged_at__isnull=False)
    return {
        "rounds": len(rounds),
        "each": sorted({round.judgments_each for round in rounds}),
        "verifiers": ordinary.order_by().values("reviewer").distinct().count(),
        "judgments": ordinary.count(),
        "pairs": len(pairs),
        "agreement": [_agreement(name, pairs) for name in (*YES_NO, SCOPE)],
        "outcomes": {name: finals.filter(outcome=name).count() for name in OUTCOMES},
        "expert": {
            "all": passed.count(),
            "causes": {cause: passed.filter(cause=cause).count() for cause in AdjudicationCause.values},
            "outcomes": {name: adjudicated.filter(outcome=name).count() for name in OUTCOMES},
        },
    }


def _agreement(name: str, pairs: Any) -> Facts:
    compared = compare(VERIFICATION.field(name), pairs)
    found = compared.found
    return {
        "question": compared.words,
        "n": found.n,
        "raw": _number(found.raw),
        "kappa": _number(found.kappa),
    }


def _number(number: Estimate | Undefined) -> Facts:
    if isinstance(number, Undefined):
        return {"value": None, "reason": number.reason}
    return {"value": number.value, "reason": ""}


def _defects(contents: Sequence[Facts], finals: QuerySet[FinalAnswers], kept: QuerySet[Candidate]) -> Facts:
    missing = Counter(name for content in contents for name in item.not_in_text(content))
    passed = Check.objects.filter(outcome=CheckOutcome.PASSED)
    unchecked = Q(pk=None)
    for kind in MAKER.checks:
        unchecked |= Q(~Exists(passed.filter(name=kind.code, candidate=OuterRef("pk"))))
    return {
        "evidence_not_in_text": missing[item.EVIDENCE],
        "refs_not_in_text": missing[item.REFS],
        "not_all_checks_passed": kept.filter(unchecked).count(),
        "kept_by_the_expert": finals.filter(outcome=KEPT, how=HowMerged.ADJUDICATED).count(),
        "same_source": len(contents) - len({item.group_of(content[item.ID]) for content in contents}),
    }
