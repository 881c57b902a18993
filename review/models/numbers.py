"""Numbers that the database computes from words and stores, for reports: it reads and counts a million numbers
several times faster than words, and finds them in an index.
"""

from collections.abc import Mapping

from django.db.models import Case, Expression, GeneratedField, SmallIntegerField, Value, When
from django.db.models.expressions import CombinedExpression

from annotation.content.instances import SAME_PASSAGE
from annotation.taxonomy import REASONING_TYPE
from judging.protocol.verdicts import Verdict

# Each verdict's position in their order.
VERDICT_NUMBERS = {verdict.value: number for number, verdict in enumerate(Verdict)}
# A table of pairs has a row and a column for each verdict and, last, for "could not judge".
CELLS = len(VERDICT_NUMBERS) + 1
# The number of each category of annotated instances; any other one has OTHER_CATEGORY. An instance whose passages are
# the same adds SAME.
CATEGORY_NUMBERS = {"": 0, **{option.code: number for number, option in enumerate(REASONING_TYPE.options, start=1)}}
OTHER_CATEGORY, SAME = 3, 4


def computed(expression: Expression) -> GeneratedField:
    return GeneratedField(expression=expression, output_field=SmallIntegerField(), db_persist=True)


def verdict_number(name: str) -> Case:
    """The number of the verdict in this column; without one, the number after the last."""
    return _number_of(name, VERDICT_NUMBERS, otherwise=CELLS - 1)


def kind_number() -> CombinedExpression:
    """The category of the instance, and whether its passages are the same, as one number."""
    category = _number_of("category", CATEGORY_NUMBERS, otherwise=OTHER_CATEGORY)
    is_same = When(subcategory=SAME_PASSAGE, then=Value(SAME))
    return category + Case(is_same, default=Value(0), output_field=SmallIntegerField())


def _number_of(name: str, numbers: Mapping[str, int], *, otherwise: int) -> Case:
    whens = [When(**{name: text}, then=Value(number)) for text, number in numbers.items()]
    return Case(*whens, default=Value(otherwise), output_field=SmallIntegerField())
