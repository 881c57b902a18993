"""Facts, claims and evidence for admins' lists and pages."""

from collections import defaultdict
from collections.abc import Iterable

from django import forms
from django.db.models import Exists, OuterRef, QuerySet

from core.lists.filters import Filters, RowField
from judging.making.check_runs import count_checks
from judging.making.registry import CheckCounts

from ..facts.aside import evidence_in_use
from ..models import (
    Cause,
    CheckName,
    CheckOutcome,
    Claim,
    DropReason,
    Evidence,
    EvidenceCheck,
    Fact,
    FactState,
    TrueObject,
)

MOST_OBJECTS = 5


class FactFilters(Filters):
    """The filters of the list of facts."""

    state = forms.ChoiceField(choices=FactState.choices, widget=forms.HiddenInput)
    reason = forms.ChoiceField(choices=DropReason.choices, widget=forms.HiddenInput)

    def facts(self) -> QuerySet[Fact]:
        found = Fact.objects.all()
        for name in ("state", "reason"):
            if self.chosen[name]:
                found = found.filter(**{name: self.chosen[name]})
        return found


class ClaimFilters(Filters):
    """The filters of the list of claims. `run` is the run of their evidence, `check` a check with this outcome."""

    cause = forms.ChoiceField(choices=Cause.choices, widget=forms.HiddenInput)
    set = RowField()
    run = RowField()
    check = forms.ChoiceField(choices=CheckName.choices, widget=forms.HiddenInput)
    outcome = forms.ChoiceField(choices=CheckOutcome.choices, widget=forms.HiddenInput)

    def claims(self) -> QuerySet[Claim]:
        found = Claim.objects.all()
        if self.chosen["cause"]:
            found = found.filter(cause=self.chosen["cause"])
        if self.chosen["set"]:
            found = found.filter(conflict__claim_set=self.chosen["set"])
        evidence = Evidence.objects.filter(claim=OuterRef("pk"))
        if self.chosen["run"]:
            found = found.filter(Exists(evidence.filter(run=self.chosen["run"])))
        if self.chosen["outcome"]:
            checks = EvidenceCheck.objects.filter(evidence=OuterRef("pk"), outcome=self.chosen["outcome"])
            if self.chosen["check"]:
                checks = checks.filter(name=self.chosen["check"])
            found = found.filter(Exists(evidence.filter(Exists(checks))))
        return found


def evidence_of(claims: Iterable[Claim]) -> dict[int, list[Evidence]]:
    """The evidence of these claims, with its checks."""
    found: dict[int, list[Evidence]] = defaultdict(list)
    rows = Evidence.objects.filter(claim__in=[each.pk for each in claims]).defer("text")
    for evidence in rows.select_related("model").prefetch_related("checks").order_by("pk"):
        found[evidence.claim_id].append(evidence)
    return found


def check_counts() -> list[CheckCounts]:
    """The outcomes of the checks of evidence, by check."""
    checks = EvidenceCheck.objects.filter(evidence__in=evidence_in_use().order_by().values("pk"))
    return count_checks(checks, {check.value: str(check.label) for check in CheckName})


def other_objects(facts: Iterable[Fact]) -> dict[int, list[str]]:
    """Some true objects of each of these facts besides the current one."""
    by_fact = {each.pk: each.object_id for each in facts}
    found: dict[int, list[str]] = defaultdict(list)
    for each in TrueObject.objects.filter(fact__in=list(by_fact)).select_related("entity").order_by("pk"):
        if each.entity_id != by_fact[each.fact_id] and len(found[each.fact_id]) < MOST_OBJECTS:
            found[each.fact_id].append(str(each.entity))
    return found
