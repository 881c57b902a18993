"""The purposes of calls that make documents."""

from ..catalogue.purposes import register
from .generation import ForStatements
from .measuring import ForMeasurement


def register_purposes() -> None:
    for purpose in (ForStatements(), ForMeasurement()):
        register(purpose)
