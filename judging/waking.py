"""Additional work of the workers that is woken together with the calls to models. Apps above register them."""

from collections.abc import Callable

_wakers: list[Callable[[], None]] = []


def register(wake: Callable[[], None]) -> None:
    _wakers.append(wake)


def wake_others() -> None:
    """Wake the registered worker jobs."""
    for wake in _wakers:
        wake()
