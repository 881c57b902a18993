"""Responses are sampled, dealt to pairs of people, and put in each person's order."""

from collections import Counter
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from review.rounds.dealing.order import deal_groups, deal_pairs, spread, stratified_sample

seeds = st.integers(0, 2**31)
kinds = st.lists(st.integers(0, 6), max_size=60)


def neighbours(kinds):
    """The number of those directly behind one of their own kind."""
    return sum(one == other for one, other in pairwise(kinds))


@given(strata=kinds, size=st.integers(0, 80), seed=seeds)
def test_a_sample_has_its_size_and_each_stratum_its_share(strata, size, seed):
    chosen = stratified_sample(strata, size, seed=seed)
    assert len(chosen) == len(set(chosen)) == min(size, len(strata))
    assert chosen == sorted(chosen)
    drawn, there = Counter(strata[index] for index in chosen), Counter(strata)
    for stratum, count in there.items():
        share = count * min(size, len(strata)) / len(strata)
        assert abs(drawn[stratum] - share) < 1


def test_the_same_seed_draws_the_same_sample_and_another_seed_another():
    strata = [index % 7 for index in range(700)]
    assert stratified_sample(strata, 100, seed=5) == stratified_sample(strata, 100, seed=5)
    assert stratified_sample(strata, 100, seed=5) != stratified_sample(strata, 100, seed=6)


@given(count=st.integers(0, 200), people=st.integers(2, 9), seed=seeds)
def test_each_response_gets_two_people_and_loads_differ_by_one_at_most(count, people, seed):
    dealt = deal_pairs(count, people, seed=seed)
    assert len(dealt) == count
    assert all(one != other for one, other in dealt)
    loads = Counter(dict.fromkeys(range(people), 0))
    loads.update(person for pair in dealt for person in pair)
    assert max(loads.values()) - min(loads.values()) <= 1


@given(count=st.integers(0, 200), people=st.integers(2, 9), seed=seeds)
def test_two_people_meet_as_often_as_any_other_two(count, people, seed):
    met = Counter(dict.fromkeys(combinations(range(people), 2), 0))
    met.update(tuple(sorted(pair)) for pair in deal_pairs(count, people, seed=seed))
    assert max(met.values()) - min(met.values()) <= 1


@given(count=st.integers(0, 60), size=st.integers(2, 5), more=st.integers(0, 4), seed=seeds)
def test_up_to_five_people_get_a_response_and_loads_differ_by_one_at_most(count, size, more, seed):
    dealt = deal_groups(count, size + more, size, seed=seed)
    assert len(dealt) == count
    assert all(len(set(group)) == len(group) == size for group in dealt)
    loads = Counter(dict.fromkeys(range(size + more), 0))
    loads.update(person for group in dealt for person in group)
    assert max(loads.values()) - min(loads.values()) <= 1
    if size == 2:
        assert dealt == deal_pairs(count, size + more, seed=seed)


@given(kinds=kinds, after=st.one_of(st.none(), st.integers(0, 6)), seed=seeds)
def test_an_order_keeps_everything_and_no_neighbours_of_one_kind(kinds, after, seed):
    order = spread(kinds, seed=seed, after=after)
    assert sorted(order) == list(range(len(kinds)))
    shown = [after, *(kinds[index] for index in order)]
    most = max(Counter(kinds).values(), default=0)
    others = len(kinds) - most
    frequent = [kind for kind, count in Counter(kinds).items() if count == most]
    if most < others + 1 or (most == others + 1 and after not in frequent):
        assert neighbours(shown) == 0
    else:
        # One kind has the majority: as few neighbours as there can be.
        assert neighbours(shown) <= most - others - (after not in frequent)


def test_two_people_get_different_orders_and_each_the_same_again():
    questions = [index // 5 for index in range(200)]
    assert spread(questions, seed="5:1") == spread(questions, seed="5:1")
    assert spread(questions, seed="5:1") != spread(questions, seed="5:2")
