"""Options with exactly one right answer, whatever the facts, and twins in which two objects change their roles."""

import random

import pytest

from benchmarks.conflictbank import choosing
from benchmarks.conflictbank.choosing import FOUR_OBJECTS, WITH_UNCERTAIN, Fact, Named, Objects
from benchmarks.conflictbank.items import CORRECT_OPTION, OPTIONS, REPLACE_OPTION, UNCERTAIN_OPTION

# Objects of one relation: some share an alias, some differ in case or composition only.
TOWNS = [
    Named("New Esk"),
    Named("new  esk", ("Esk Nova",)),
    Named("Port Brenna", ("Brenna",)),
    Named("Brenna"),
    Named("Caf\N{LATIN SMALL LETTER E WITH ACUTE}"),
    Named("Cafe\N{COMBINING ACUTE ACCENT}"),
    Named("Aldow", ("Upper Aldow", "The Town")),
    Named("Dunmere", ("The Town",)),
    Named("Corlis", ("\\/Corlis",)),
    Named("/corlis"),
    *(Named(f"Village{number}") for number in range(10)),
]
POOL = Objects(TOWNS)


def drawn_fact(number, chance):
    true = tuple(chance.sample(TOWNS, chance.randint(1, 4)))
    return Fact("P551", Named(f"Person {number}"), true[0], true)


def replacement(fact, chance):
    return next(each for each in chance.sample(TOWNS, len(TOWNS)) if not fact.is_true(each))


@pytest.mark.parametrize("version", [WITH_UNCERTAIN, FOUR_OBJECTS])
def test_of_10_000_items_none_has_two_right_options(version):
    chance, wrong, published = random.Random(7), 0, 0
    for number in range(10_000):
        fact = drawn_fact(number, chance)
        replaced = replacement(fact, chance)
        others = choosing.more_options(fact, replaced, POOL, version=version, seed=number)
        assert others is not None
        options = [fact.object, replaced, *others]
        wrong += len(choosing.right_options(fact, options)) != 1
        names = [name for each in options for name in each.names]
        assert len(set(names)) == len(names)
        as_published = choosing.as_published(fact, replaced, POOL, seed=number)
        published += len(choosing.right_options(fact, [fact.object, replaced, *as_published])) > 1
    assert wrong == 0
    assert published > 1_000


def test_the_same_seed_draws_the_same_options_for_any_order_of_the_candidates():
    chance = random.Random(3)
    for number in range(200):
        fact = drawn_fact(number, chance)
        replaced = replacement(fact, chance)
        shuffled = Objects(chance.sample(TOWNS, len(TOWNS)))
        first = choosing.more_options(fact, replaced, POOL, seed=5)
        assert first == choosing.more_options(fact, replaced, shuffled, seed=5)
        assert first is not None
        assert choosing.laid_out(fact, replaced, first, seed=5) == choosing.laid_out(fact, replaced, first, seed=5)


def test_each_of_the_first_three_letters_is_as_likely():
    fact, replaced = Fact("P551", Named("x"), Named("true")), Named("false")
    counts = dict.fromkeys("ABC", 0)
    for seed in range(3_000):
        found = choosing.laid_out(fact, replaced, [Named("third")], seed=seed)
        assert found[OPTIONS][3] == "uncertain"
        assert found[UNCERTAIN_OPTION] == "D"
        assert found[OPTIONS]["ABC".index(found[CORRECT_OPTION])] == "true"
        assert found[OPTIONS]["ABC".index(found[REPLACE_OPTION])] == "false"
        counts[found[CORRECT_OPTION]] += 1
    assert all(900 < count < 1_100 for count in counts.values())


def test_four_objects_leave_no_letter_for_uncertain():
    fact = Fact("P551", Named("x"), Named("true"))
    found = choosing.laid_out(fact, Named("false"), [Named("third"), Named("fourth")], seed=1)
    assert sorted(found[OPTIONS]) == ["false", "fourth", "third", "true"]
    assert found[UNCERTAIN_OPTION] == ""


def test_an_object_called_uncertain_or_like_the_subject_is_no_option():
    fact, objects = Fact("P551", Named("Esk"), Named("true")), Objects([Named("Uncertain"), Named("New ESK")])
    assert choosing.more_options(fact, Named("false"), objects, seed=1) is None


def town(subject, label, *true, types=()):
    return Fact("P551", Named(subject, types=frozenset(types)), Named(label), tuple(map(Named, (label, *true))))


def test_in_a_twin_the_two_objects_change_their_roles():
    fact = town("Ann", "Esk")
    facts = choosing.by_object([fact, town("Bob", "Brenna"), town("Cid", "Aldow")])
    twin = choosing.twin_of(fact, Named("Brenna"), facts, seed=1)
    assert twin is not None
    assert (twin.subject.label, twin.object.label) == ("Bob", "Brenna")


def test_no_twin_of_which_the_object_is_true_as_well_or_of_another_type():
    fact = town("Ann", "Esk", types=["Q5"])
    facts = [town("Bob", "Brenna", "esk"), town("Firm", "Brenna", types=["Q4830453"]), town("Esk", "Brenna")]
    assert choosing.twin_of(fact, Named("Brenna"), choosing.by_object(facts), seed=1) is None
