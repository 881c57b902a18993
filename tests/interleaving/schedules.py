"""State machines of Hypothesis, which act in whatever order: how many orders a run of the tests tries.

Few, as each run tries others. `SCHEDULES=10` tries ten times as many of each.
"""

import os
from collections.abc import Callable
from typing import Any

from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from core.refusals import Refusal

TIMES = int(os.environ.get("SCHEDULES", "1"))


def try_schedules(machine: Callable[[], RuleBasedStateMachine], *, count: int, steps: int) -> None:
    """Raises what an order raises that breaks a promise, with the shortest such order that is found."""
    chosen = settings(
        max_examples=count * TIMES, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(machine, settings=chosen)


class UndoneMachine(RuleBasedStateMachine):
    """One whose rows are gone after each order."""

    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    def attempt(self, act: Callable, **arguments: Any) -> Any:
        """A refusal is an answer like any other; it must leave everything as it was."""
        before = self.snapshot()
        try:
            with transaction.atomic():
                return act(**arguments)
        except Refusal:
            assert self.snapshot() == before
            return None

    def snapshot(self) -> object:
        raise NotImplementedError
