"""Additional work of the workers that is woken together with the calls to models. Apps above register them."""

from typing import Protocol


class Wake(Protocol):
    def __call__(self) -> None:
        """Wake the worker, if it has something to do. Called together with the pump of calls, often: it must be
        cheap, and harmless where there is nothing to do.
        """


_wakers: list[Wake] = []


def register(wake: Wake) -> None:
    _wakers.append(wake)


def wake_others() -> None:
    """Wake the registered worker jobs."""
    for wake in _wakers:
        wake()
