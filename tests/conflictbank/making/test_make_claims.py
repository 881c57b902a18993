"""Claims by a seed: the same in any order, and none that replaces a true object by another true one."""

import random
from collections import Counter
from datetime import date
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.conflictbank.claims.making import LIVING, NO_REPLACEMENT, make_claims
from benchmarks.conflictbank.content.drawn_spans import draw_span
from benchmarks.conflictbank.content.names import MONTHS, alike_name, alike_names
from benchmarks.conflictbank.content.pools import Candidate, Pool, Truth
from benchmarks.conflictbank.content.spans import days_of, span_problem
from benchmarks.conflictbank.content.wording import filled, with_span
from benchmarks.conflictbank.facts.importing import import_facts
from benchmarks.conflictbank.facts.templates import add_template, switch_template
from benchmarks.conflictbank.facts.truth import NOW_TRUE, candidate, truths_of
from benchmarks.conflictbank.models import Cause, Claim, ClaimSet, Conflict, Fact, RelationTemplate
from core.refusals import Refusal
from tests.factories.conflictbank import TOWNS, bring_in, residents, row

pytestmark = pytest.mark.django_db
DAY = date(2026, 3, 1)


def claims(seed: int = 7) -> set[tuple[str, ...]]:
    found = Claim.objects.filter(conflict__claim_set__seed=seed).select_related("conflict__fact__subject")
    return {(each.conflict.fact.subject.key, each.cause, each.text, each.style) for each in found}


def test_each_fact_gets_a_claim_for_each_cause():
    bring_in(residents(40))
    made = make_claims(seed=7, made_on=DAY)
    assert (made.facts, made.there) == (40, 0)
    assert Counter(Claim.objects.values_list("cause", flat=True)) == dict.fromkeys(Cause.values, 40)
    assert len(set(Claim.objects.values_list("style", flat=True))) == 3
    conflict = Conflict.objects.select_related("fact__subject", "object", "replacement").first()
    texts = dict(conflict.claims.values_list("cause", "text"))
    subject = conflict.fact.subject.name
    assert texts["default"] == f"{subject} resides in {conflict.object.name}."
    assert texts["misinformation"] == texts["semantic"] == f"{subject} resides in {conflict.replacement.name}."
    assert texts["temporal"].startswith(texts["misinformation"].removesuffix(".") + " ")
    assert all(each in texts["temporal"] for each in conflict.span)


def test_the_command_and_its_dry_run_say_the_same():
    bring_in(residents())
    said = []
    for more in (["--dry-run"], []):
        out = StringIO()
        call_command("make_claims", "--seed", "7", "--date", "2026-03-01", *more, stdout=out)
        said.append(out.getvalue())
        assert Claim.objects.count() == (0 if more else 40)
    assert said[0] == said[1].replace("claims made", "claims would be made")
    assert "Times begin in 2027." in said[1]


def test_the_same_seed_gives_the_same_claims_in_any_order():
    rows = [
        *residents(60),
        *(row(f"Actor {n}", f"Award {n % 7}", "P166") for n in range(30)),
        row("Person 1", "Wick"),
    ]
    found = []
    for order in range(3):
        with transaction.atomic():
            random.Random(order).shuffle(rows)
            bring_in(rows)
            make_claims(seed=7, made_on=DAY)
            make_claims(seed=8, made_on=DAY)
            found.append((claims(7), claims(8)))
            transaction.set_rollback(True)
    assert found[0] == found[1] == found[2]
    assert found[0][0] != found[0][1]


def test_these_claims_are_the_same_on_every_database():
    bring_in(residents(5))
    make_claims(seed=7, made_on=DAY)
    found = Claim.objects.filter(cause=Cause.TEMPORAL).order_by("conflict__fact__subject__name")
    assert list(found.values_list("text", "style")) == [
        ("Person 0 resides in Cadwell from September, 2032 to December, 2040.", "news"),
        ("Person 1 resides in Dunmere from 2030 to 2040.", "book"),
        ("Person 2 resides in Dunmere from 2038 to 2039.", "book"),
        ("Person 3 resides in Altona from July, 2032 to September, 2039.", "book"),
        ("Person 4 resides in Brinmoor in February, 2040.", "news"),
    ]


def test_repeating_makes_only_what_is_missing():
    bring_in(residents(10))
    make_claims(seed=7, made_on=DAY)
    before = claims()
    assert make_claims(seed=7).facts == 0
    bring_in([row("Newcomer", "Altona")])
    again = make_claims(seed=7)
    assert (again.facts, again.there) == (1, 10)
    assert before < claims()


def test_other_settings_need_another_seed():
    bring_in(residents())
    make_claims(seed=7, made_on=DAY)
    with pytest.raises(Refusal, match="another seed"):
        make_claims(seed=7, first_year=2040)
    with pytest.raises(Refusal, match="not before"):
        make_claims(seed=8, made_on=DAY, first_year=2025)
    Fact.objects.update(state="waiting", reason="")
    with pytest.raises(CommandError, match="No fact is ready"):
        call_command("make_claims", "--seed", "9")


# --- Replacements ---------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["Altona", "ALTONA", "Áltona", "Brinmoor", "Brin-moor", "Cadwell", "Dunmere", "Old Cadwell"])


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 9), NAMES, st.lists(NAMES, max_size=2)), min_size=3, max_size=25),
    st.integers(0, 5),
)
def test_a_replacement_is_never_true_by_any_name(told, seed):
    with transaction.atomic():
        bring_in(
            [
                row(f"Person {n}", town, object_aliases=aliases, object_id=f"Q{1 + len(town)}{n % 3}")
                for n, town, aliases in told
            ]
        )
        if Fact.objects.filter(state="ready").exists():
            make_claims(seed=seed, made_on=DAY)
        for conflict in Conflict.objects.select_related("fact__subject", "replacement"):
            true = conflict.fact.true_objects.select_related("entity")
            names = alike_names(name for each in true for name in each.entity.names)
            assert names.isdisjoint(alike_names(conflict.replacement.names))
            assert conflict.replacement_id not in {each.entity_id for each in true}
        transaction.set_rollback(True)


def test_all_true_objects_are_kept_from_replacing():
    others = [row(f"Person {n}", TOWNS[n % 2]) for n in range(10)]
    bring_in([*others, row("Ann", "Cadwell"), row("Ann", "Altona", ended="1990"), row("Bea", "Cadwell")])
    make_claims(seed=7, made_on=DAY)
    ann = Conflict.objects.get(fact__subject__name="Ann")
    assert ann.replacement.name == "Brinmoor"


def test_of_two_towns_one_in_the_other_none_replaces_the_other():
    pool = Pool(Candidate(n, f"Q{n}", name, alike_names([name])) for n, name in enumerate(["New York", "Ayr"]))
    truth = Truth(frozenset({"Q9"}), alike_names(["New York City"]))
    assert {pool.draw(random.Random(n), truth, frozenset()).name for n in range(50)} == {"Ayr"}


def test_objects_of_the_same_type_replace_where_types_are_known():
    def of(number, *types, weight=1):
        return Candidate(number, f"Q{number}", f"N{number}", frozenset({f"n{number}"}), frozenset(types), weight)

    pool = Pool([of(1, "town"), of(2, "town"), of(3, "river"), of(4), of(5, "sea")])
    truth = Truth(frozenset({"Q1"}), frozenset({"n1"}))
    drawn = {pool.draw(random.Random(n), truth, frozenset({"town"})).number for n in range(50)}
    assert drawn == {2}
    of_sea = Truth(frozenset({"Q5"}), frozenset({"n5"}))
    assert pool.draw(random.Random(1), of_sea, frozenset({"sea"})).number == 4
    assert Pool([of(5, "sea"), of(3, "river")]).draw(random.Random(1), of_sea, frozenset({"sea"})) is None


def test_frequent_objects_are_drawn_more_often():
    pool = Pool(
        Candidate(n, f"Q{n}", f"N{n}", frozenset({f"n{n}"}), weight=weight) for n, weight in enumerate([1, 9])
    )
    nothing = Truth(frozenset(), frozenset())
    drawn = Counter(pool.draw(random.Random(n), nothing, frozenset()).number for n in range(2_000))
    assert 0.87 < drawn[1] / 2_000 < 0.93


def test_a_fact_without_a_replacement_is_counted():
    bring_in([row("Ann", "Altona"), row("Ann", "Brinmoor"), row("Ann", "Cadwell"), row("Bea", "Altona"),
              row("Cay", "Brinmoor"), row("Dee", "Cadwell")])  # fmt: skip
    made = make_claims(seed=7, made_on=DAY)
    assert made.without == {NO_REPLACEMENT: 1}
    assert ClaimSet.objects.get().counts == {NO_REPLACEMENT: 1}
    assert made.facts == 3


def test_a_conflict_is_set_aside_when_its_replacement_becomes_true():
    bring_in(residents())
    make_claims(seed=7, made_on=DAY)
    one, other = Conflict.objects.select_related("fact__subject", "replacement", "object").order_by("pk")[:2]
    bring_in([row(one.fact.subject.name, one.replacement.name)])
    one.refresh_from_db()
    assert one.set_aside == NOW_TRUE
    assert one.fact.object == one.object
    assert Conflict.objects.filter(set_aside="").count() == 9
    bring_in([row("Zed", other.object.name, object_aliases=[other.replacement.name])])
    other.refresh_from_db()
    assert other.set_aside == NOW_TRUE
    for each in Conflict.objects.filter(set_aside="").select_related("fact__subject", "replacement"):
        assert not truths_of([each.fact])[each.fact_id].has(candidate(each.replacement))


def test_living_people_can_be_left_out():
    bring_in(
        [
            *(row(f"Dead {n}", TOWNS[n % 5], subject_is_living="no") for n in range(10)),
            row("Alive", "Altona", subject_is_living="yes"),
            row("Unknown", "Altona"),
            row("Dead too", "Lady Mayoress", subject_is_living="no", object_is_living="yes"),
        ]
    )
    made = make_claims(seed=7, made_on=DAY, leave_out_living=True)
    assert (made.facts, made.without[LIVING]) == (10, 3)
    assert not Claim.objects.filter(text__contains="Mayoress").exists()
    assert make_claims(seed=8, made_on=DAY).facts == 13


# --- Times and sentences --------------------------------------------------------------------------------------------


def test_times_have_the_distribution_of_the_released_program():
    drawn = [draw_span(random.Random(n), first_year=2027, is_point=False) for n in range(6_000)]
    assert not [each for each in drawn if span_problem(each)]
    intervals = [each for each in drawn if len(each) == 2]
    assert 0.64 < len(intervals) / len(drawn) < 0.69
    years = [[int(each[-4:]) for each in span] for span in drawn]
    assert {span[0] for span in years if len(span) == 1} == set(range(2027, 2049))
    assert {span[0] for span in years if len(span) == 2} == set(range(2027, 2039))
    assert max(span[-1] for span in years) == 2048
    assert all(span[0] < span[1] for span in years if len(span) == 2)
    plain = [span for span in intervals if span[0].isdigit()]
    assert 0.46 < len(plain) / len(intervals) < 0.54
    dated = [span for span in intervals if not span[0].isdigit()]
    with_days = [span for span in dated if span[0][0].isdigit()]
    assert 0.46 < len(with_days) / len(dated) < 0.54
    assert all(days_of(start).first.month < days_of(end).first.month for start, end in dated)
    assert {each.split(",")[0].split()[-1] for span in dated for each in span} == set(MONTHS)


def test_a_relation_about_points_has_no_interval():
    assert {len(draw_span(random.Random(n), first_year=2027, is_point=True)) for n in range(200)} == {1}


@pytest.mark.parametrize(
    ("template", "dated"),
    [
        ("<subject> lives in <object>.", "<subject> lives in <object> in 2033."),
        ("St. <subject> lives in <object>.", "St. <subject> lives in <object> in 2033."),
        ("<subject> is in <object>", "<subject> is in <object> in 2033."),
        ("“<subject> is in <object>.”", "“<subject> is in <object> in 2033.”"),
    ],
)
def test_the_time_goes_before_the_last_full_stop(template, dated):
    assert with_span(template, ["2033"]) == dated


def test_names_are_filled_in_one_pass():
    assert filled("<subject> is <object>.", subject="<object>", object="{x} \\1") == "<object> is {x} \\1."


@given(st.text(max_size=30))
def test_alike_names_are_stable(name):
    assert alike_name(alike_name(name)) == alike_name(name)


# --- Templates ------------------------------------------------------------------------------------------------------


def test_a_used_template_is_frozen_and_another_version_counts():
    bring_in(residents())
    make_claims(seed=7, made_on=DAY)
    used = RelationTemplate.objects.get(relation="P551")
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        RelationTemplate.objects.filter(pk=used.pk).update(statement="<subject> lives in <object>.")
    better = {"statement": "<subject> lives in <object>.", "question": "Where is <subject>?", "is_point": False}
    add_template(relation="P551", admin=None, **better)
    make_claims(seed=8, made_on=DAY)
    assert Claim.objects.filter(conflict__claim_set__seed=8, text__contains=" lives in ").count() == 40
    assert Claim.objects.filter(conflict__claim_set__seed=7, text__contains=" resides in ").count() == 40
    switch_template(template=used, is_active=True, admin=None)
    assert RelationTemplate.objects.get(relation="P551", is_active=True) == used


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("<subject> is.", "Where is <subject>?"),
        ("<subject> is <object>.", "Where?"),
        ("<subject> is <object>.", "Is <subject> <object>?"),
        ("<subject>, <subject> is <object>.", "Where is <subject>?"),
    ],
)
def test_a_template_has_its_placeholders(statement, question):
    with pytest.raises(Refusal, match="template has"):
        add_template(relation="P551", statement=statement, question=question, is_point=False, admin=None)


def test_a_damaged_template_cannot_be_switched_on():
    damaged = RelationTemplate.objects.get(relation="P27")
    with pytest.raises(Refusal, match="Write another version"):
        switch_template(template=damaged, is_active=True, admin=None)


def test_claims_and_conflicts_never_change():
    bring_in(residents())
    make_claims(seed=7, made_on=DAY)
    for change in (
        lambda: Claim.objects.update(text="x"),
        lambda: Conflict.objects.update(span=["2050"]),
        lambda: ClaimSet.objects.update(seed=9),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    Conflict.objects.update(semantic_description="invented bridge", set_aside="By mistake.")
    with pytest.raises(DatabaseError), transaction.atomic():
        Conflict.objects.update(semantic_description="other")


# --- The facts that ship --------------------------------------------------------------------------------------------


def test_claims_are_made_of_the_facts_that_ship_and_no_replacement_is_true():
    path = Path(make_claims.__code__.co_filename).parents[1] / "shipped_facts.jsonl"
    with path.open("rb") as stream:
        result = import_facts(stream)
    assert result.counts["facts"] >= 60
    assert Fact.objects.filter(state="ready").count() >= 55
    seeds = range(20)
    for seed in seeds:
        made = make_claims(seed=seed, made_on=DAY, leave_out_living=True)
        assert made.facts >= 55
    wrong = 0
    conflicts = list(Conflict.objects.select_related("fact__subject", "replacement", "object"))
    truths = truths_of([each.fact for each in conflicts])
    for conflict in conflicts:
        wrong += truths[conflict.fact_id].has(candidate(conflict.replacement))
        assert set(conflict.replacement.types) & set(conflict.object.types)
    assert len(conflicts) >= 1_100
    assert wrong == 0
