"""What there is to read besides an annotation itself. Mostly nothing, so the desk counts it all at once and asks only
for what is there."""

from typing import NamedTuple

from core.queries.cursors import prepared_cursor

from ..models import Annotation


class Belongings(NamedTuple):
    """How many rows of each kind belong to an annotation; of its time, the seconds."""

    comments: int
    edits: int
    sources: int
    findings: int
    seconds: int


_COUNT = """
SELECT (SELECT COUNT(*) FROM annotation_comment WHERE annotation_id = %s),
       (SELECT COUNT(*) FROM annotation_suggestededit WHERE annotation_id = %s),
       (SELECT COUNT(*) FROM annotation_passagesource
        JOIN annotation_passage ON annotation_passage.id = passage_id WHERE annotation_id = %s),
       (SELECT COUNT(*) FROM annotation_watchresult WHERE tag_id = %s),
       (SELECT COALESCE(SUM(seconds), 0) FROM annotation_steptime WHERE annotation_id = %s)
"""


def belongings_of(annotation: Annotation) -> Belongings:
    pk = annotation.pk
    with prepared_cursor() as cursor:
        cursor.execute(_COUNT, [pk, pk, pk, annotation.tag_id, pk])
        return Belongings(*map(int, cursor.fetchone()))
