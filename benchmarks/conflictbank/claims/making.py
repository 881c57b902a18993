"""Makes claims of facts: the true one, and one for each cause of conflict. The same seed and facts give the same
claims, in any order and on both databases: each draw depends only on the seed and its subject.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.db import IntegrityError
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from core.engine.writing.inserts import Insert, insert, keys_for
from core.engine.writing.pieces import in_pieces
from core.engine.writing.statistics import look_again
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from core.words import plural
from core.writing.progress import along

from ..choosing import chance_of
from ..content.drawn_spans import LAST, between, draw_span
from ..content.pools import Candidate, Pool
from ..content.wording import filled, with_span
from ..facts.fitness import assess_relations
from ..facts.templates import active_templates
from ..facts.truth import candidate, truths_of
from ..models import (
    Cause,
    Claim,
    ClaimSet,
    Conflict,
    ConflictbankAction,
    Entity,
    Fact,
    FactState,
    RelationTemplate,
    Style,
)

# The released program's first year was the year of its facts; times in that year could be past.
YEARS_LATER = 1
LAST_YEAR = 9_999 - LAST
PIECE = 500
# Longer than a piece takes.
MAKING_LEASE = timedelta(seconds=60)
LIVING, NO_REPLACEMENT = say("about a living person"), say("no object that is not true can replace its own")


@dataclass
class Made:
    """The claims made, or planned by a check."""

    claim_set: ClaimSet
    check_only: bool = False
    facts: int = 0
    there: int = 0
    without: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        made = {
            "claims": plural(self.facts * len(Cause), "claim"),
            "facts": plural(self.facts, "fact"),
            "seed": self.claim_set.seed,
        }
        if self.check_only:
            yield say("{claims} would be made of {facts} with seed {seed}.", **made)
        else:
            yield say("{claims} made of {facts} with seed {seed}.", **made)
        yield say("Times begin in {first_year}.", first_year=self.claim_set.first_year)
        if self.there:
            yield say("{facts} already had claims of this seed.", facts=plural(self.there, "fact"))
        for reason, count in sorted(self.without.items()):
            yield say("Without claims, {reason}: {count:,}", reason=reason, count=count)


def make_claims(
    *,
    seed: int,
    made_on: date | None = None,
    first_year: int | None = None,
    leave_out_living: bool = False,
    check_only: bool = False,
    actor: User | None = None,
) -> Made:
    """Make the claims of all ready facts that have none of this seed. A check writes nothing.

    `made_on` is the date of the claims, today by default, and `first_year` the first year of times in them, by
    default the year after. Raises Refusal if claims of this seed were made with other settings, or no fact is ready.
    """
    claim_set = begun_set(seed, made_on, first_year, leave_out_living, check_only=check_only)
    made = Made(claim_set, check_only)
    for _, template in along(say("Relations"), sorted(active_templates().items())):
        make_of_relation(made, template)
    if not check_only:
        finish(claim_set, made.without)
        look_again({Conflict._meta.db_table: made.facts, Claim._meta.db_table: made.facts * len(Cause)})
    if made.facts and not check_only:
        Event.record(
            ConflictbankAction.MADE_CLAIMS, claim_set, actor=actor, after={"seed": seed, "facts": made.facts}
        )
    return made


def ask_for_claims(
    *,
    seed: int,
    made_on: date | None = None,
    first_year: int | None = None,
    leave_out_living: bool = False,
    actor: User | None = None,
) -> ClaimSet:
    """Begin claims that a worker then makes, with the arguments of `make_claims`; the caller wakes one. Raises
    Refusal as that does.
    """
    claim_set = begun_set(seed, made_on, first_year, leave_out_living, check_only=False)
    Event.record(ConflictbankAction.ASKED_FOR_CLAIMS, claim_set, actor=actor, after={"seed": seed})
    return claim_set


def begun_set(
    seed: int, made_on: date | None, first_year: int | None, leave_out_living: bool, *, check_only: bool
) -> ClaimSet:
    """The set of claims with these settings, no longer finished. A check does not store it."""
    if not check_only:
        assess_relations()
    ready = Fact.objects.filter(state=FactState.READY)
    if not ready.exists():
        raise Refusal(say("No fact is ready. Import some facts first. Nothing was made."))
    claim_set = set_of(seed, made_on, first_year, leave_out_living, check_only=check_only)
    if not check_only:
        ClaimSet.objects.filter(pk=claim_set.pk).update(finished_at=None, of_facts=ready.count())
    return claim_set


def finish(claim_set: ClaimSet, without: Mapping[str, int]) -> None:
    ClaimSet.objects.filter(pk=claim_set.pk).update(
        counts=dict(without), finished_at=timezone.now(), making_until=None
    )
    claim_set.refresh_from_db()


def set_of(
    seed: int, made_on: date | None, first_year: int | None, leave_out_living: bool, *, check_only: bool
) -> ClaimSet:
    there = ClaimSet.objects.filter(seed=seed).first()
    if there is None:
        day = made_on or timezone.localdate()
        year = day.year + YEARS_LATER if first_year is None else first_year
        if not day.year <= year <= LAST_YEAR:
            raise Refusal(
                say(
                    "The first year of times must be {year} to {last}, not before the claims are made. Nothing "
                    "was made.",
                    year=day.year,
                    last=LAST_YEAR,
                ),
                status=400,
            )
        made = ClaimSet(seed=seed, made_on=day, first_year=year, leaves_out_living=leave_out_living)
        if not check_only:
            made.save()
        return made
    if there.twins_of_id:
        raise Refusal(
            say("Claims with seed {seed} are twins of others. Take another seed. Nothing was made.", seed=seed)
        )
    asked = (made_on or there.made_on, first_year or there.first_year, leave_out_living)
    if asked != (there.made_on, there.first_year, there.leaves_out_living):
        living = say("without") if there.leaves_out_living else say("with")
        raise Refusal(
            say(
                "Claims with seed {seed} were made on {made_on}, with times from {first_year}, {living} facts "
                "about living people. Use these settings or another seed. Nothing was made.",
                seed=seed,
                made_on=there.made_on,
                first_year=there.first_year,
                living=living,
            )
        )
    return there


# --- A relation -----------------------------------------------------------------------------------------------------


def make_of_relation(made: Made, template: RelationTemplate) -> None:
    """Make the claims of all facts of a relation that have none in this set."""
    facts = Fact.objects.filter(relation=template.relation, state=FactState.READY)
    has_claims = Q(conflicts__claim_set=made.claim_set) if made.claim_set.pk else Q(pk=None)
    made.there += facts.filter(has_claims).count()
    without = facts.exclude(pk__in=facts.filter(has_claims).values("pk"))
    numbers = list(without.order_by("pk").values_list("pk", flat=True))
    if not numbers:
        return
    pool = pool_of(facts, without_living=made.claim_set.leaves_out_living)

    def write(piece: list[int]) -> None:
        drawn = list(draw_conflicts(made, Fact.objects.filter(pk__in=piece), template, pool))
        made.facts += len(drawn)
        if not made.check_only:
            insert(rows_of(drawn, made.claim_set, template))
            note_progress(made.claim_set, len(drawn))

    try:
        in_pieces(numbers, write, most=PIECE)
    except IntegrityError as error:
        raise Refusal(say("Claims with this seed are being made now. Finished ones are kept: try again.")) from error


def note_progress(claim_set: ClaimSet, facts: int) -> None:
    """Count these facts, and keep workers away for a while. Call it in the transaction that writes their claims."""
    ClaimSet.objects.filter(pk=claim_set.pk).update(
        facts=F("facts") + facts, making_until=timezone.now() + MAKING_LEASE
    )


def pool_of(facts: QuerySet[Fact], *, without_living: bool) -> Pool:
    """The objects of a relation, each with the number of facts that have it."""
    numbers = dict(facts.order_by().values_list("object").annotate(n=Count("pk")))
    entities = Entity.objects.filter(pk__in=facts.order_by().values("object"))
    if without_living:
        entities = entities.exclude(is_living=True)
    return Pool(candidate(entity, numbers[entity.pk]) for entity in entities.iterator(chunk_size=2_000))


@dataclass(frozen=True, slots=True)
class Drawn:
    """The draw for a fact: the object that replaces its own, the time, and a style for each claim's evidence."""

    fact: Fact
    object: Entity
    replacement: Candidate
    span: list[str]
    styles: Mapping[str, str]


def draw_conflicts(made: Made, facts: QuerySet[Fact], template: RelationTemplate, pool: Pool) -> Iterator[Drawn]:
    """The conflicts of these facts; those that get none are counted with the reason."""
    found = list(facts.select_related("subject", "object").order_by("pk"))
    truths = truths_of(found)
    for fact in found:
        object = fact.object
        if object is None:  # a constraint forbids this, but the types do not say so
            continue
        if made.claim_set.leaves_out_living and is_perhaps_living(fact.subject, object):
            made.without[LIVING] += 1
            continue
        about = (template.relation, fact.subject.key)
        chance = chance_of(made.claim_set.seed, *about, "replacement")
        replacement = pool.draw(chance, truths[fact.pk], frozenset(object.types))
        if replacement is None:
            made.without[NO_REPLACEMENT] += 1
            continue
        chance = chance_of(made.claim_set.seed, *about, "span")
        span = draw_span(chance, first_year=made.claim_set.first_year, is_point=template.is_point)
        yield Drawn(fact, object, replacement, span, styles_of(made.claim_set.seed, *about))


def is_perhaps_living(subject: Entity, object: Entity) -> bool:
    """Return whether a fact may be about a living person: an unknown subject counts as living."""
    return subject.is_living is not False or object.is_living is True


def styles_of(seed: int, *about: str) -> dict[str, str]:
    """A style for the evidence of each claim, drawn independently."""
    return {cause: Style.values[between(chance_of(seed, *about, "style", cause), 0, 2)] for cause in Cause.values}


def rows_of(drawn: Sequence[Drawn], claim_set: ClaimSet, template: RelationTemplate) -> Iterator[Insert]:
    keys = keys_for({Conflict: len(drawn)})[Conflict]
    for each, number in zip(drawn, keys, strict=True):
        yield Insert.of(
            Conflict,
            id=number,
            claim_set_id=claim_set.pk,
            fact_id=each.fact.pk,
            template_id=template.pk,
            object_id=each.object.pk,
            replacement_id=each.replacement.number,
            span=each.span,
        )
        for cause, text in texts_of(each, template):
            yield Insert.of(Claim, conflict_id=number, cause=cause, text=text, style=each.styles[cause])


def texts_of(drawn: Drawn, template: RelationTemplate) -> Iterator[tuple[str, str]]:
    """The sentence for each cause. A semantic claim has the words of the misinformation: only the meaning of its
    subject differs.
    """
    subject, statement = drawn.fact.subject.name, template.statement
    replaced = filled(statement, subject=subject, object=drawn.replacement.name)
    yield Cause.DEFAULT, filled(statement, subject=subject, object=drawn.object.name)
    yield Cause.MISINFORMATION, replaced
    dated = with_span(statement, drawn.span)
    yield Cause.TEMPORAL, filled(dated, subject=subject, object=drawn.replacement.name)
    yield Cause.SEMANTIC, replaced
