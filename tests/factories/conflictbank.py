"""ConflictBank's facts, claims and evidence."""

import io
import json
from collections.abc import Iterable
from datetime import date
from typing import Any

from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.evidence.generation import EVIDENCE, ForEvidence
from benchmarks.conflictbank.facts.importing import FactImport, import_facts
from benchmarks.conflictbank.models import Cause, Claim, ClaimSet, Evidence
from benchmarks.conflictbank.questionnaires.evidence import KIND, PAIRS_CODE
from judging.models import Attempt, Call, LanguageModel, ModelKind, Run, RunKind
from review.models import FinalAnswers, Item, Round

TOWNS = ("Altona", "Brinmoor", "Cadwell", "Dunmere", "Eskford")


def row(subject: str = "Hal Holt", object: str = "Altona", relation: str = "P551", **more: Any) -> dict[str, Any]:
    return {
        "relation": relation,
        "subject": subject,
        "subject_description": f"person called {subject}"[:1_000],
        "object": object,
        "object_description": f"town called {object}"[:1_000],
        **more,
    }


def residents(count: int = 10) -> list[dict[str, Any]]:
    return [row(f"Person {number}", TOWNS[number % len(TOWNS)]) for number in range(count)]


def as_lines(rows: Iterable[Any]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in rows).encode()


def bring_in(rows: Iterable[Any], **how: Any) -> FactImport:
    return import_facts(io.BytesIO(as_lines(rows)), **how)


def entity(key: str, name: str = "", **claims: Any) -> dict[str, Any]:
    """An entity of Wikidata with these statements: for each relation a list of ids, or of statements."""
    record: dict[str, Any] = {"type": "item", "id": key, "claims": {}}
    if name:
        record["labels"] = {"en": {"language": "en", "value": name}}
        record["descriptions"] = {"en": {"language": "en", "value": f"thing called {name}"}}
    for relation, values in claims.items():
        record["claims"][relation] = [each if isinstance(each, dict) else statement(each) for each in values]
    return record


def statement(key: str, rank: str = "normal", **qualifiers: str) -> dict[str, Any]:
    value = {"entity-type": "item", "numeric-id": int(key[1:]), "id": key}
    found: dict[str, Any] = {
        "rank": rank,
        "mainsnak": {"snaktype": "value", "datavalue": {"value": value, "type": "wikibase-entityid"}},
    }
    if qualifiers:
        found["qualifiers"] = {
            relation: [{"snaktype": "value", "datavalue": {"type": "time", "value": {"time": time}}}]
            for relation, time in qualifiers.items()
        }
    return found


def make_evidence() -> Evidence:
    """Evidence for the claim of a fact, as if a baseline had written it."""
    bring_in(residents(5))
    make_claims(seed=7, made_on=date(2026, 3, 1))
    model = LanguageModel.objects.filter(kind=ModelKind.BASELINE)[0]
    return write_evidence(model, Claim.objects.filter(cause=Cause.DEFAULT)[:1])[0]


def _evidence_run() -> Run:
    options = {"method": EVIDENCE, "claim_set": ClaimSet.objects.latest("pk").pk}
    return Run.objects.create(kind=RunKind.GENERATION, purpose=ForEvidence.code, options=options)


def write_evidence(model: LanguageModel, claims: Iterable[Claim]) -> list[Evidence]:
    """Evidence for these claims, as if the model had written it in one run; no time passes."""
    run = _evidence_run()
    return [written_in(run, model, claim) for claim in claims]


def written_in(run: Run, model: LanguageModel, claim: Claim) -> Evidence:
    call = Call.objects.create(run=run, model=model, purpose=ForEvidence.code, subject_number=claim.pk)
    attempt = Attempt.objects.create(call=call, number=1, model=model, request={})
    text = f"{claim.text} It is known to everybody who ever asked about it."
    return Evidence.objects.create(claim=claim, model=model, run=run, attempt=attempt, text=text)


def make_labelled(conflicts: int, *, contradicts: Any = None) -> Round:
    """Evidence for the claims of this number of conflicts, as if a baseline had written it, and people's final
    answers about the evidence that conflicts: `contradicts` says which evidence clearly contradicts the default one,
    by default all but every third.
    """
    bring_in(residents(conflicts))
    make_claims(seed=7, made_on=date(2026, 3, 1))
    model = LanguageModel.objects.filter(kind=ModelKind.BASELINE)[0]
    run = _evidence_run()
    round = Round.objects.create(name="Labels", questionnaire=PAIRS_CODE, seed=1)
    for number, claim in enumerate(Claim.objects.order_by("pk")):
        call = Call.objects.create(run=run, model=model, purpose=ForEvidence.code, subject_number=claim.pk)
        attempt = Attempt.objects.create(call=call, number=1, model=model, request={})
        text = f"{claim.text} It is known, and was in all papers of that year (number {number})."
        made = Evidence.objects.create(claim=claim, model=model, run=run, attempt=attempt, text=text)
        if claim.cause == Cause.DEFAULT:
            continue
        item = Item.everything.create(round=round, subject_kind=KIND, subject_number=made.pk)
        clearly = contradicts(made) if contradicts else made.pk % 3
        answers = {"supports": "yes", "contradicts": "clearly" if clearly else "no", "repeats": "no"}
        FinalAnswers.objects.create(item=item, round=round, outcome="supported", answers=answers, how="agreed")
    return round
