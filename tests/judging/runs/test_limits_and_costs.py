"""Waiting before a repeat, and what calls cost."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from core.backoff import LONGEST_WAIT, backoff
from judging.endpoints.costs import cost, estimate_tokens, most_tokens


@given(st.integers(0, 10_000), st.one_of(st.none(), st.floats(0, 1e9)))
def test_a_repeat_waits_as_asked_and_never_for_ever(attempt, retry_after):
    wait = backoff(attempt, retry_after=retry_after)
    assert min(retry_after or 0.0, LONGEST_WAIT) <= wait <= LONGEST_WAIT + 300


def test_the_spread_doubles_up_to_the_cap():
    widest = [backoff(attempt, cap=10, draw=lambda low, high: high) for attempt in range(1, 7)]
    assert widest == [1, 2, 4, 8, 10, 10]


def test_a_call_costs_by_the_million_tokens():
    assert cost(1_000, 250, price_in=Decimal("2.50"), price_out=Decimal(10)) == Decimal("0.005")


@given(st.text(), st.text())
def test_more_is_held_back_than_expected(system, user):
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    assert 0 < estimate_tokens(messages) <= most_tokens(messages)
