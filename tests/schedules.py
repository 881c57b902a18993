"""State machines of Hypothesis, which act in whatever order: how many orders a run of the tests tries.

Few, as each run tries others. `SCHEDULES=10` tries ten times as many of each.
"""

import os
from collections.abc import Callable

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

TIMES = int(os.environ.get("SCHEDULES", "1"))


def try_schedules(machine: Callable[[], RuleBasedStateMachine], *, count: int, steps: int) -> None:
    """Raises what an order raises that breaks a promise, with the shortest such order that is found."""
    chosen = settings(
        max_examples=count * TIMES,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=chosen)
