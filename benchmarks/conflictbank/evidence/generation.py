"""Runs that ask models for evidence for claims, and for other descriptions of the subjects of semantic claims."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from core.engine.writing.pieces import few_at_a_time
from core.languages import say
from core.outside import storable
from core.refusals import Refusal
from core.words import plural
from judging.catalogue.purposes import Answered, Made, Messages, PlannedCall, Planning, Purpose
from judging.catalogue.readings import NO_REPLY
from judging.models import Attempt, Call, CallState, LanguageModel, Mark, ModelKind, Run, RunKind
from judging.protocol.prompts import chat_messages
from judging.runs.calls.outputs import output_values
from judging.runs.plan import Plan, Planner, plan_with
from judging.runs.runs import Actor, check_models, save_planned

from ..facts.aside import claims_in_use
from ..models import Cause, Claim, ClaimSet, Conflict, ConflictSettings, Evidence
from .prompts import (
    description_prompt,
    evidence_prompt,
    pattern_description,
    pattern_evidence,
    read_description,
)
from .texts import ends_within_a_sentence, without_last_sentence

BENCHMARK = "conflictbank"
# The baseline that writes from a fixed pattern, by its name at the endpoint and its label.
PATTERN, PATTERN_LABEL = "evidence-pattern", "Baseline: evidence from a pattern"
EVIDENCE, DESCRIPTIONS = "evidence", "descriptions"
METHODS = {
    EVIDENCE: say("evidence for the newest claims, in three styles (Tables 6 to 9)"),
    DESCRIPTIONS: say("other descriptions of subjects, for semantic claims (Figure 9)"),
}
# Relations of a claim that prompts use.
RELATED = ("conflict__fact__subject", "conflict__object", "conflict__replacement", "conflict__template")
# Claim, model and run of evidence.
Written = tuple[int, int, int]
# As in the paper.
TOKENS = {EVIDENCE: 512, DESCRIPTIONS: 50}


def unsaved_run(method: str, language_models: Collection[LanguageModel], **columns: Any) -> Run:
    """A run that asks for evidence or descriptions. Raises Refusal if a model cannot be asked or there are no
    claims.
    """
    newest = ClaimSet.objects.order_by("pk").last()
    if newest is None:
        raise Refusal(say("There are no claims yet. Make some of facts first. Nothing was planned."))
    if not newest.is_finished:
        raise Refusal(say("The {newest} are not all made yet. Nothing was planned.", newest=str(newest)))
    options = {"benchmark": BENCHMARK, "method": method, "claim_set": newest.pk}
    purpose = ForDescriptions.code if method == DESCRIPTIONS else ForEvidence.code
    run = Run(kind=RunKind.GENERATION, purpose=purpose, options=options, **columns)
    check_models(language_models, budget=run.budget, in_batches=run.in_batches)
    for model in language_models:
        if model.kind == ModelKind.BASELINE and model.endpoint_name != PATTERN:
            raise Refusal(
                say("{model} is a baseline and writes no evidence. Nothing was planned.", model=model), status=400
            )
    if method == DESCRIPTIONS and len(language_models) > 1:
        raise Refusal(
            say("Each subject gets one other description: name one model. Nothing was planned."), status=400
        )
    return run


def plan_generation(*, method: str, language_models: Collection[LanguageModel], **columns: Any) -> Plan:
    """The plan of the run that `create_generation_run` would create. Nothing is written."""
    return plan_with(Planner(unsaved_run(method, language_models, **columns), language_models=language_models))


def create_generation_run(
    *, method: str, language_models: Collection[LanguageModel], actor: Actor = None, **columns: Any
) -> Run:
    run = unsaved_run(method, language_models, **columns)
    return save_planned(run, actor=actor, told={"method": method}, language_models=language_models)


def warnings(method: str, language_models: Collection[LanguageModel]) -> list[str]:
    """Differences from the paper, and the number of claims that have to wait."""
    said: list[str] = []
    for model in language_models:
        if model.kind == ModelKind.BASELINE:
            continue
        if not model.is_at_zero_temperature:
            said.append(
                say(
                    "{model}: its temperature is not 0, as in the paper, so the texts cannot be repeated.",
                    model=model,
                )
            )
        if model.max_tokens is None or model.max_tokens > TOKENS[method]:
            said.append(
                say(
                    "{model}: the paper has at most {tokens} tokens; this model may write more.",
                    model=model,
                    tokens=TOKENS[method],
                )
            )
    newest = ClaimSet.objects.order_by("pk").last()
    waiting = claims_of(newest.pk).filter(cause=Cause.SEMANTIC, conflict__semantic_description="") if newest else None
    if method == EVIDENCE and waiting is not None and (count := waiting.count()):
        said.append(
            say(
                "{claims} for another description of the subject (method: {method}).",
                claims=plural(count, "semantic claim waits", "semantic claims wait"),
                method=DESCRIPTIONS,
            )
        )
    return said


def claims_of(claim_set: int) -> QuerySet[Claim]:
    """The claims of a set, and, if they are twins, the claims whose twins they are."""
    of_set = Q(conflict__claim_set=claim_set) | Q(conflict__claim_set__twins=claim_set)
    claims = claims_in_use().filter(of_set)
    return claims.select_related(*RELATED)


class ForEvidence(Purpose):
    """The purpose of asking a model for the evidence of a claim."""

    code, kind = "conflict_evidence", RunKind.GENERATION
    template = "conflictbank/_call_evidence.html"
    run_template, links_template = "conflictbank/_run_of_evidence.html", "conflictbank/_links_of_evidence.html"

    def made(self, run: Run) -> list[Made]:
        evidence = Evidence.objects.filter(run=run)
        return [
            Made("evidence", "texts", evidence.count(), f"{reverse('conflicts')}?run={run.pk}"),
            Made("ends_early", say("texts that end mid-sentence"), evidence.filter(ends_early=True).count()),
        ]

    # --- Asking ---------------------------------------------------------------------------------------------------

    def wanted(self, run: Run) -> QuerySet[Claim]:
        claims = claims_of(run.options["claim_set"])
        return claims.exclude(cause=Cause.SEMANTIC, conflict__semantic_description="").order_by("pk")

    def planned(self, planner: Planning) -> Iterator[PlannedCall]:
        run = planner.run
        there = set(planner.calls.values_list("subject_number", "model_id"))
        # A model's text for a claim, finished or requested, is never paid for twice.
        written = Evidence.objects.filter(model__in=planner.language_models).exclude(run_id=run.pk)
        before = set(written.values_list("claim_id", "model_id")) | under_way(self.code, run)
        for claim in few_at_a_time(self.wanted(run)):
            for model in planner.language_models:
                plan = planner.by_model[model.pk]
                if (claim.pk, model.pk) in there:
                    plan.already_there += 1
                elif (claim.pk, model.pk) in before:
                    plan.answered_before += 1
                else:
                    columns = planner.columns(self.code, model.pk, subject_number=claim.pk)
                    yield PlannedCall(columns, messages_for(claim))

    def subjects(self) -> QuerySet:
        return Claim.objects.select_related(*RELATED)

    def messages(self, call: Call) -> Messages:
        return messages_for(claim_of(call))

    def baseline_reply(self, call: Call) -> str:
        if call.model.endpoint_name != PATTERN:
            raise KeyError(call.model.endpoint_name)
        return pattern_evidence(claim_of(call))

    # --- The result -----------------------------------------------------------------------------------------------

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        drops = ConflictSettings.current().drops_last_sentence
        new: dict[Written, Evidence] = {}
        for call, attempt, reply in answered:
            values = output_values(attempt, reply, now)
            if values["mark"] not in NO_REPLY and values["text"].strip():
                evidence = evidence_of(call, drops=drops, attempt=attempt, **values)
                new[evidence.claim_id, evidence.model_id, evidence.run_id] = evidence
        replace_evidence(new)

    def outputs(self, run: Run) -> QuerySet:
        return Evidence.objects.filter(run=run)

    def unreadable(self, run: Run) -> QuerySet[Call]:
        """Calls that were answered without a text, by a refusal or an empty reply."""
        rows = Evidence.objects.filter(claim=OuterRef("subject_number"), model=OuterRef("model"))
        return run.calls.filter(~Exists(rows), state=CallState.DONE)

    # --- On pages -------------------------------------------------------------------------------------------------

    def title(self, call: Call) -> str:
        return f"{call.model} writes evidence for a claim"

    def about(self, call: Call) -> Mapping[str, Any]:
        claim = call.subject or self.subjects().filter(pk=call.subject_number).first()
        written = Evidence.objects.filter(run=call.run_id, model=call.model_id, claim=claim).first()
        return {"claim": claim, "evidence": written}


def under_way(purpose: str, run: Run) -> set[tuple[int | None, int | None]]:
    """The claims, with the models, that other runs ask about, or perhaps did: calls that are left, in progress or in
    doubt.
    """
    states = [*CallState.open(), CallState.IN_DOUBT]
    calls = Call.objects.filter(purpose=purpose, state__in=states).exclude(run_id=run.pk)
    return set(calls.values_list("subject_number", "model_id"))


def evidence_of(call: Call, *, drops: bool, attempt: Attempt, **values: Any) -> Evidence:
    """The unsaved evidence in an answer; `drops` leaves out a last sentence that is not complete."""
    text = values["text"]
    return Evidence(
        claim_id=call.subject_number or 0,
        model_id=call.model_id,
        run_id=call.run_id,
        attempt=attempt,
        ends_early=ends_within_a_sentence(text) or values["mark"] == Mark.CUT,
        dropped=len(text) - len(without_last_sentence(text)) if drops else 0,
        **values,
    )


def replace_evidence(new: Mapping[Written, Evidence]) -> None:
    """Store evidence in place of what the same run had for the same claim and model. What another run has stays."""
    of_claims = Evidence.objects.filter(claim__in={claim for claim, _, _ in new})
    before = [pk for pk, *position in of_claims.values_list("pk", "claim", "model", "run") if tuple(position) in new]
    if before:
        Evidence.objects.filter(pk__in=before).delete()
    Evidence.objects.bulk_create(new.values(), ignore_conflicts=True)


class ForDescriptions(Purpose):
    """The purpose of asking a model for another description of the subject of a semantic claim."""

    code, kind = "conflict_meaning", RunKind.GENERATION
    template = "conflictbank/_call_evidence.html"
    run_template, links_template = "conflictbank/_run_of_evidence.html", "conflictbank/_links_of_evidence.html"

    def made(self, run: Run) -> list[Made]:
        described = claims_of(run.options["claim_set"]).filter(cause=Cause.SEMANTIC)
        described = described.exclude(conflict__semantic_description="")
        return [Made("descriptions", say("subjects with another description"), described.count())]

    def planned(self, planner: Planning) -> Iterator[PlannedCall]:
        there = set(planner.calls.values_list("subject_number", flat=True))
        there |= {number for number, _ in under_way(self.code, planner.run)}
        claims = claims_of(planner.run.options["claim_set"]).filter(
            cause=Cause.SEMANTIC, conflict__semantic_description=""
        )
        for claim in few_at_a_time(claims.order_by("pk")):
            for model in planner.language_models:
                if claim.pk in there:
                    planner.by_model[model.pk].already_there += 1
                else:
                    columns = planner.columns(self.code, model.pk, subject_number=claim.pk)
                    yield PlannedCall(columns, description_messages(claim))

    def subjects(self) -> QuerySet:
        return Claim.objects.select_related(*RELATED)

    def messages(self, call: Call) -> Messages:
        return description_messages(claim_of(call))

    def baseline_reply(self, call: Call) -> str:
        if call.model.endpoint_name != PATTERN:
            raise KeyError(call.model.endpoint_name)
        return pattern_description(claim_of(call))

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        claims = self.subjects().in_bulk({call.subject_number for call, _, _ in answered})
        for call, _, reply in answered:
            claim = claims[call.subject_number]
            if Mark(reply.outcome) in NO_REPLY:
                continue
            read = read_description(storable(reply.text), subject=claim.conflict.fact.subject.name)
            if read and read != claim.conflict.fact.subject.description:
                Conflict.objects.filter(pk=claim.conflict_id, semantic_description="").update(
                    semantic_description=read
                )

    def unreadable(self, run: Run) -> QuerySet[Call]:
        described = Claim.objects.filter(cause=Cause.SEMANTIC).exclude(conflict__semantic_description="")
        return run.calls.filter(state=CallState.DONE).exclude(subject_number__in=described.values("pk"))

    def title(self, call: Call) -> str:
        return f"{call.model} describes a subject in another way"

    def about(self, call: Call) -> Mapping[str, object]:
        return {"claim": call.subject or self.subjects().filter(pk=call.subject_number).first()}


def claim_of(call: Call) -> Claim:
    """The claim of a call. Raises ValueError if it no longer exists."""
    if call.subject is None:
        raise ValueError("The claim of this call no longer exists.")
    return call.subject


def messages_for(claim: Claim) -> Messages:
    return chat_messages(evidence_prompt(claim), empty_system=False)


def description_messages(claim: Claim) -> Messages:
    return chat_messages(description_prompt(claim), empty_system=False)
