"""Makes a release of ConflictBank from claims whose evidence passed its checks, or was overruled with a reason."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.kinds.registry import benchmark
from annotation.models import Release
from annotation.releases.items.releasing import check_contents, content_hash, release_contents, release_with
from core.languages import in_sentence, joined, number, say
from core.models import User
from core.refusals import Refusal
from core.words import plural
from core.writing.progress import along
from judging.models import LanguageModel

from .. import items as item
from ..choosing import WITH_UNCERTAIN, Objects, laid_out, more_options
from ..content.wording import filled
from ..items import CODE
from ..models import (
    Cause,
    CheckName,
    CheckOutcome,
    Claim,
    ClaimSet,
    Conflict,
    ConflictClassifier,
    Evidence,
    FactFile,
    Style,
    TrainingState,
)
from ..questionnaires.precision import refuse_imprecise
from .drawing import Drawable, drawables

# The names of styles in the released files.
STYLES = {Style.WIKIPEDIA: "wikipedia", Style.BOOK: "book", Style.NEWS: "new"}
# The reasons why a conflict does not become an item.
NO_DESCRIPTION, NO_EVIDENCE = say("without a description for its semantic claim"), say("a claim without evidence")
UNCHECKED, FAILED = say("checks not finished"), say("a check failed")
UNREADABLE = say("a check whose component could not tell")
FEW_OBJECTS, NOT_VALID = say("too few other objects for its options"), say("not a valid item")
Content = dict[str, Any]


@dataclass
class Chosen:
    """The items of a release, the reasons for leaving out other conflicts, and the numbers of items with unchecked or
    overruled evidence.
    """

    contents: list[Content] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    not_checked: int = 0
    overruled: int = 0
    # Name and licence of each file that has facts of these items.
    fact_files: list[tuple[str, str]] = field(default_factory=list)
    # The outcomes of each check of the items' evidence, by component.
    checks: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        yield joined([plural(len(self.contents), "item"), "."], "")
        for reason, count in sorted(self.left_out.items()):
            yield say("Left out, {reason}: {count:,}", reason=reason, count=count)
        if self.not_checked:
            yield say("With evidence that was not checked: {count:,}", count=self.not_checked)
        if self.overruled:
            yield say("With evidence that counts although a check failed: {count:,}", count=self.overruled)
        for (name, component, outcome), count in sorted(self.checks.items()):
            by = say("{check} by {component}", check=CheckName(name).label, component=component)
            outcomes = {"count": count, "outcome": in_sentence(CheckOutcome(outcome).label)}
            yield say("{check}: {count:,} {outcome}", check=by if component else CheckName(name).label, **outcomes)


def release_conflicts(
    *,
    seed: int,
    model: LanguageModel,
    name: str,
    version: int = WITH_UNCERTAIN,
    with_twins: bool = False,
    admin: User | None = None,
) -> tuple[Release, Chosen]:
    """Release the items made of the claims with this seed, perhaps those of their twins as well, and the evidence of
    this model.

    Raises Refusal if there are no such claims, if no item can be made, or if a release holds exactly these items.
    """
    chosen = chosen_items(seed=seed, model=model, version=version, with_twins=with_twins)
    check_chosen(chosen, name)
    made = release_contents(
        benchmark=benchmark(CODE),
        name=name,
        contents=chosen.contents,
        how_made={
            "seed": seed,
            "evidence": model.name,
            "version": version,
            "with_twins": with_twins,
            "facts": [list(each) for each in chosen.fact_files],
            **facts_of(chosen),
        },
        admin=admin,
    )
    return made, chosen


def check_chosen(chosen: Chosen, name: str) -> None:
    """Raises Refusal if these items cannot be released under this name, or people find a check too imprecise."""
    if not chosen.contents:
        reasons = joined(
            (joined([reason, number(count)], ": ") for reason, count in sorted(chosen.left_out.items())), "; "
        )
        raise Refusal(
            say(
                "No item can be made of these claims. {reasons} Nothing was released.",
                reasons=reasons or say("There are none."),
            )
        )
    refuse_imprecise()
    check_contents(benchmark(CODE), name.strip(), chosen.contents)
    if same := release_with(CODE, content_hash(chosen.contents)):
        raise Refusal(
            say(
                "Release {number} (“{name}”) holds exactly these items: nothing was released.",
                number=same.number,
                name=same.name,
            )
        )


def facts_of(chosen: Chosen) -> dict[str, Any]:
    """The numbers of the making, which stay with the release."""
    return {
        "left_out": dict(chosen.left_out),
        "not_checked": chosen.not_checked,
        "overruled": chosen.overruled,
        "checks": checks_of(chosen),
    }


def checks_of(chosen: Chosen) -> list[dict[str, Any]]:
    """The checks of the items' evidence: by component, the number with each outcome; of a classifier, how it was
    trained.
    """
    trained = {each.component: each for each in ConflictClassifier.objects.filter(state=TrainingState.TRAINED)}
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for (name, component, outcome), count in sorted(chosen.checks.items()):
        each = found.setdefault(
            (name, component), {"check": name, "component": component, "outcomes": {}, "classifier": None}
        )
        each["outcomes"][outcome] = count
        if component in trained:
            each["classifier"] = trained[component].summary
    order = [str(check.value) for check in CheckName]
    return sorted(found.values(), key=lambda each: order.index(each["check"]))


def chosen_items(
    *, seed: int, model: LanguageModel, version: int = WITH_UNCERTAIN, with_twins: bool = False
) -> Chosen:
    """The items that can be made of the claims with this seed, and of their twins. Raises Refusal if there are no
    such claims.
    """
    claim_set = ClaimSet.objects.filter(seed=seed).first()
    if claim_set is None:
        raise Refusal(say("There are no claims with seed {seed}. Nothing was released.", seed=seed), status=404)
    if not claim_set.is_finished:
        raise Refusal(say("The {claim_set} are not all made yet. Nothing was released.", claim_set=str(claim_set)))
    twins = ClaimSet.objects.filter(twins_of=claim_set, finished_at__isnull=False).first() if with_twins else None
    if with_twins and twins is None:
        raise Refusal(say("The claims with seed {seed} have no twins. Nothing was released.", seed=seed), status=404)
    chosen = Chosen()
    for each_set in filter(None, (claim_set, twins)):
        for each, objects, evidence in along(say("Choosing"), with_evidence(each_set, model), of=each_set.facts):
            _add(chosen, each, objects, evidence, version)
    files = FactFile.objects.filter(facts__conflicts__claim_set__in=[each for each in (claim_set, twins) if each])
    chosen.fact_files = list(files.order_by("pk").distinct().values_list("name", "licence"))
    return chosen


def with_evidence(
    claim_set: ClaimSet, model: LanguageModel
) -> Iterator[tuple[Drawable, Objects, dict[str, Evidence]]]:
    """The conflicts in use, each with the objects of its relation and the model's evidence by cause."""
    for objects, some in drawables(Conflict.objects.filter(claim_set=claim_set)):
        evidence = evidence_for([each.conflict.pk for each in some], model)
        for each in some:
            yield each, objects, evidence.get(each.conflict.pk, {})


def evidence_for(conflicts: list[int], model: LanguageModel) -> dict[int, dict[str, Evidence]]:
    """The evidence of a model for the claims of these conflicts, by conflict and cause."""
    rows = Evidence.objects.filter(claim__conflict__in=conflicts, model=model)
    found: dict[int, dict[str, Evidence]] = {}
    for evidence in rows.select_related("claim").prefetch_related("checks"):
        found.setdefault(evidence.claim.conflict_id, {})[evidence.claim.cause] = evidence
    return found


def _add(chosen: Chosen, each: Drawable, objects: Objects, evidence: Mapping[str, Evidence], version: int) -> None:
    if reason := _why_not(each, evidence):
        chosen.left_out[reason] += 1
        return
    others = more_options(each.fact, each.replaced, objects, version=version, seed=each.seed)
    if others is None:
        chosen.left_out[FEW_OBJECTS] += 1
        return
    content = _content(each, evidence) | laid_out(each.fact, each.replaced, others, seed=each.seed)
    if item.problems(content):
        chosen.left_out[NOT_VALID] += 1
        return
    chosen.contents.append({name: content[name] for name in item.FIELDS})
    texts = evidence.values()
    chosen.not_checked += any(_outcomes(text)[CheckOutcome.NOT_CHECKED] for text in texts)
    chosen.overruled += any(_outcomes(text)[CheckOutcome.FAILED] for text in texts)
    chosen.checks.update(
        (check.name, check.component, check.outcome) for text in texts for check in text.checks.all()
    )


def _why_not(each: Drawable, evidence: Mapping[str, Evidence]) -> str:
    """The reason why a conflict with this evidence becomes no item; "" if it can."""
    if not each.conflict.semantic_description:
        return NO_DESCRIPTION
    if any(kind not in evidence for kind in item.KINDS):
        return NO_EVIDENCE
    texts = [text for text in evidence.values() if not text.overruled]
    if any(_outcomes(text)[CheckOutcome.FAILED] for text in texts):
        return FAILED
    if any(check.is_unreadable for text in texts for check in text.checks.all()):
        return UNREADABLE
    if any(_is_unfinished(text) for text in evidence.values()):
        return UNCHECKED
    return ""


def _is_unfinished(evidence: Evidence) -> bool:
    """Return whether a check of this evidence waits or is still to be made; of evidence that is overruled, whether
    one waits.
    """
    made = {check.name for check in evidence.checks.all() if check.outcome != CheckOutcome.WAITING}
    waits = len(made) < len(evidence.checks.all())
    wanted = [each for each in CheckName if each != CheckName.CONTRADICTION or evidence.claim.cause != Cause.DEFAULT]
    return waits or (not evidence.overruled and any(each not in made for each in wanted))


def _outcomes(evidence: Evidence) -> Counter[str]:
    return Counter(check.outcome for check in evidence.checks.all())


def _content(each: Drawable, evidence: Mapping[str, Evidence]) -> Content:
    """The fields of the item besides its options."""
    conflict = each.conflict
    subject, its_object, replaced = conflict.fact.subject, conflict.object, conflict.replacement
    claims: dict[str, Claim] = {kind: text.claim for kind, text in evidence.items()}
    return {
        item.RELATION: conflict.template.relation,
        item.SUBJECT: subject.name,
        item.DESCRIPTION: subject.description,
        item.SEMANTIC_DESCRIPTION: conflict.semantic_description,
        item.OBJECT: its_object.name,
        "object_description": its_object.description,
        item.REPLACED: replaced.name,
        "replaced_description": replaced.description,
        **{item.CLAIM[kind]: claims[kind].text for kind in item.KINDS},
        **{item.STYLE[kind]: STYLES[Style(claims[kind].style)] for kind in item.KINDS},
        **{item.EVIDENCE[kind]: evidence[kind].used_text for kind in item.KINDS},
        item.SPAN: conflict.span,
        item.QUESTION: filled(conflict.template.question, subject=subject.name),
    }
