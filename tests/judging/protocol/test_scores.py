"""Scores of readings have the shape that their task declares, and are checked when they are written."""

import math
from dataclasses import dataclass

import pytest

from judging.protocol.scores import Chip, chips_of, schema_of, score_from, stored_score


@dataclass(frozen=True, slots=True)
class Bits:
    option: str = ""
    bits: float | None = None
    is_known: bool = False

    def __post_init__(self):
        if self.is_known and not self.option:
            raise ValueError("what is known has an option")


def test_fields_that_differ_from_their_defaults_are_stored():
    assert stored_score(Bits("A", 0.5, True), Bits) == {"option": "A", "bits": 0.5, "is_known": True}
    assert stored_score(Bits(), Bits) == {}
    assert stored_score(None, Bits) is None
    assert score_from({"option": "A"}, Bits) == Bits("A")
    assert score_from({"option": "A", "of_before": 1}, Bits) == Bits("A")
    assert score_from(None, Bits) is None


@pytest.mark.parametrize("score", [Bits(option=1), Bits(bits=1), Bits(bits="0.5"), Bits(is_known=None)])
def test_a_field_of_another_type_is_refused(score):
    with pytest.raises(TypeError, match="cannot be"):
        stored_score(score, Bits)


def test_another_shape_or_an_infinite_number_is_refused():
    with pytest.raises(TypeError, match="must be a Bits"):
        stored_score({"option": "A"}, Bits)
    with pytest.raises(TypeError):
        stored_score(Bits(), None)
    with pytest.raises(ValueError, match="finite"):
        stored_score(Bits(bits=math.nan), Bits)


def test_a_shape_has_plain_fields_with_defaults():
    @dataclass(frozen=True)
    class Listed:
        found: list | None = None

    @dataclass(frozen=True)
    class Needed:
        option: str

    for shape in (Listed, Needed):
        with pytest.raises(TypeError, match="with a default"):
            schema_of(shape)


def test_a_page_shows_each_field():
    assert chips_of(Bits("A", is_known=True)) == [Chip("Option:", "A"), Chip("Is known:", "yes")]
