"""Checks of restored rows beyond counts and sums. Apps register theirs."""

from typing import Protocol


class Check(Protocol):
    def __call__(self) -> list[str]:
        """Return what is wrong with the restored rows of an app, in sentences."""


_checks: list[Check] = []


def register_check(check: Check) -> None:
    _checks.append(check)


def wrong_rows() -> list[str]:
    """The sentences of all checks."""
    return [sentence for check in _checks for sentence in check()]
