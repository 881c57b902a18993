"""Makes the claims of counterfactual twins: of another subject the replaced object of an item is the true one, and
the item's own object replaces it. The same claims have the same twins.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db import IntegrityError, transaction
from django.db.models import Prefetch
from django.utils import timezone

from core.engine.writing.inserts import insert
from core.engine.writing.pieces import in_pieces
from core.engine.writing.statistics import look_again
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from core.words import plural
from core.writing.progress import along

from ..choosing import Fact, Named, by_object, chance_of, twin_of
from ..content.drawn_spans import draw_span
from ..facts.aside import conflicts_in_use
from ..facts.truth import candidate
from ..models import (
    Cause,
    Claim,
    ClaimSet,
    Conflict,
    ConflictbankAction,
    Entity,
    FactState,
    RelationTemplate,
    TrueObject,
)
from ..models import Fact as FactRow
from .making import (
    MAKING_LEASE,
    PIECE,
    Drawn,
    finish,
    is_perhaps_living,
    note_progress,
    rows_of,
    styles_of,
)

NO_TWIN = say("no other subject of which the replaced object is the true one")


@dataclass
class Twins:
    """The twins made, or planned by a check."""

    claim_set: ClaimSet
    check_only: bool = False
    made: int = 0
    without: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        twins, seed = plural(self.made, "twin"), self.claim_set.seed
        if self.check_only:
            yield say("{twins} would be made with seed {seed}.", twins=twins, seed=seed)
        else:
            yield say("{twins} made with seed {seed}.", twins=twins, seed=seed)
        for reason, count in sorted(self.without.items()):
            yield say("Without a twin, {reason}: {count:,}", reason=reason, count=count)


def make_twins(*, seed: int, of: int, check_only: bool = False, actor: User | None = None) -> Twins:
    """Make the claims of the twins of all conflicts with the seed `of`, as claims with another seed. A fact is the
    twin of one conflict at most. They are written in pieces: a call that is interrupted is continued by the next one,
    or by a worker, and the twins are the same.

    Raises Refusal if there are no such claims, if they already have twins, or if the seed is taken.
    """
    claim_set, original = _begun(seed, of)
    twins = Twins(claim_set, check_only)
    if not check_only:
        claim_set.making_until = timezone.now() + MAKING_LEASE
        claim_set.save()
    templates = RelationTemplate.objects.filter(conflicts__claim_set=original).distinct().order_by("pk")
    for template in along(say("Relations"), templates):
        drawn = list(_twins_in(twins, original, template))
        twins.made += len(drawn)
        if not check_only:
            _write(claim_set, template, drawn)
    if not check_only:
        with transaction.atomic():
            finish(claim_set, twins.without)
            after = {"seed": seed, "twins_of": of, "facts": twins.made}
            Event.record(ConflictbankAction.MADE_CLAIMS, claim_set, actor=actor, after=after)
        look_again({Conflict._meta.db_table: twins.made, Claim._meta.db_table: twins.made * len(Cause)})
    return twins


def _write(claim_set: ClaimSet, template: RelationTemplate, drawn: list[Drawn]) -> None:
    """Write the twins of one relation that an interrupted call has not written."""
    there = set(claim_set.conflicts.filter(template=template).values_list("fact", flat=True))

    def write(piece: list[Drawn]) -> None:
        insert(rows_of(piece, claim_set, template))
        note_progress(claim_set, len(piece))

    try:
        in_pieces((each for each in drawn if each.fact.pk not in there), write, most=PIECE)
    except IntegrityError as error:
        raise Refusal(say("These twins are being made now. Finished ones are kept: try again.")) from error


@transaction.atomic
def ask_for_twins(*, seed: int, of: int, actor: User | None = None) -> ClaimSet:
    """Begin twins that a worker then makes, with the arguments of `make_twins`; the caller wakes one. Raises Refusal
    as that does.
    """
    claim_set, _ = _begun(seed, of)
    claim_set.save()
    Event.record(ConflictbankAction.ASKED_FOR_CLAIMS, claim_set, actor=actor, after={"seed": seed, "twins_of": of})
    return claim_set


def _begun(seed: int, of: int) -> tuple[ClaimSet, ClaimSet]:
    """The set of twins, unsaved unless it was begun before, and the claims whose twins they are."""
    original = ClaimSet.objects.filter(seed=of).first()
    if original is None:
        raise Refusal(say("There are no claims with seed {of}. Nothing was made.", of=of), status=404)
    if not original.is_finished:
        raise Refusal(say("The claims with seed {of} are not all made yet. Nothing was made.", of=of))
    begun = ClaimSet.objects.filter(twins_of=original).first()
    if begun is not None and (begun.is_finished or begun.seed != seed):
        raise Refusal(say("The claims with seed {of} already have twins. Nothing was made.", of=of))
    if begun is not None:
        return begun, original
    if ClaimSet.objects.filter(seed=seed).exists():
        raise Refusal(
            say("There are claims with seed {seed}: use another seed for the twins. Nothing was made.", seed=seed)
        )
    same = {name: getattr(original, name) for name in ("made_on", "first_year", "leaves_out_living")}
    facts = conflicts_in_use().filter(claim_set=original).count()
    return ClaimSet(seed=seed, twins_of=original, of_facts=facts, **same), original


def _twins_in(twins: Twins, original: ClaimSet, template: RelationTemplate) -> Iterator[Drawn]:
    """The twins of the conflicts of one relation."""
    rows = _facts(template.relation)
    facts = {key: _as_fact(row) for key, row in rows.items()}
    numbers = {id(fact): key for key, fact in facts.items()}
    left = by_object(fact for key, fact in facts.items() if _may_be_twin(twins.claim_set, rows[key]))
    conflicts = conflicts_in_use().filter(claim_set=original, template=template).order_by("fact__subject__key")
    for conflict in conflicts.select_related("replacement"):
        if conflict.fact_id not in facts:
            continue
        twin = twin_of(facts[conflict.fact_id], _named(conflict.replacement), left, seed=original.seed)
        row = rows[numbers[id(twin)]] if twin else None
        if row is None or twin is None or row.object is None:
            twins.without[NO_TWIN] += 1
            continue
        for name in twin.object.names:  # each fact is a twin once
            left[twin.relation, name].remove(twin)
        yield _drawn(twins.claim_set, template, row, row.object, conflict)


def _may_be_twin(claim_set: ClaimSet, row: FactRow) -> bool:
    if row.object is None:
        return False
    return not (claim_set.leaves_out_living and is_perhaps_living(row.subject, row.object))


def _drawn(
    claim_set: ClaimSet, template: RelationTemplate, row: FactRow, its_object: Entity, conflict: Conflict
) -> Drawn:
    about = (template.relation, row.subject.key)
    chance = chance_of(claim_set.seed, *about, "span")
    span = draw_span(chance, first_year=claim_set.first_year, is_point=template.is_point)
    return Drawn(row, its_object, candidate(conflict.object), span, styles_of(claim_set.seed, *about))


def _facts(relation: str) -> dict[int, FactRow]:
    """The ready facts of a relation with all true objects of their subjects, by their keys."""
    true = Prefetch("true_objects", TrueObject.objects.select_related("entity").order_by("pk"))
    found = FactRow.objects.filter(relation=relation, state=FactState.READY).select_related("subject", "object")
    return {row.pk: row for row in found.prefetch_related(true).order_by("pk")}


def _as_fact(row: FactRow) -> Fact:
    if row.object is None:
        raise TypeError("a ready fact has an object")
    true = tuple(_named(each.entity) for each in row.true_objects.all())
    return Fact(row.relation, _named(row.subject), _named(row.object), true)


def _named(entity: Entity) -> Named:
    return Named(entity.name, tuple(entity.aliases), frozenset(entity.types))
