"""Numbers that the database computes from words and stores, for reports: it reads and counts a million numbers
several times faster than words, and finds them in an index.
"""

from collections.abc import Mapping

from django.db.models import Case, Expression, GeneratedField, SmallIntegerField, Value, When
from django.db.models.expressions import CombinedExpression

from judging.protocol.verdicts import Verdict

# Each verdict's position in their order.
VERDICT_NUMBERS = {verdict.value: number for number, verdict in enumerate(Verdict)}
# A table of pairs has a row and a column for each verdict and, last, for "could not judge".
CELLS = len(VERDICT_NUMBERS) + 1
# Each reasoning type's number; any other text has OTHER_REASONING. One passage only adds ONE_PASSAGE.
REASONING_NUMBERS = {"": 0, "EXP": 1, "IMP": 2}
OTHER_REASONING, ONE_PASSAGE = 3, 4


def computed(expression: Expression) -> GeneratedField:
    return GeneratedField(expression=expression, output_field=SmallIntegerField(), db_persist=True)


def verdict_number(name: str) -> Case:
    """The number of the verdict in this column; without one, the number after the last."""
    return _number_of(name, VERDICT_NUMBERS, otherwise=CELLS - 1)


def conflict_number() -> CombinedExpression:
    """Reasoning type and whether both passages of the instance are equal, as one number."""
    reasoning = _number_of("reasoning_type", REASONING_NUMBERS, otherwise=OTHER_REASONING)
    one_passage = When(same_passage=True, then=Value(ONE_PASSAGE))
    return reasoning + Case(one_passage, default=Value(0), output_field=SmallIntegerField())


def _number_of(name: str, numbers: Mapping[str, int], *, otherwise: int) -> Case:
    whens = [When(**{name: text}, then=Value(number)) for text, number in numbers.items()]
    return Case(*whens, default=Value(otherwise), output_field=SmallIntegerField())
