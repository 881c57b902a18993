"""Counts the rows that belong to an annotation. Usually there are none, so the desk counts everything in one query
and reads only existing rows. Also counts its writer's earlier submissions: the guideline is open at the first few
tags.
"""

from typing import NamedTuple

from core.engine.queries.cursors import prepared_cursor

from ..models import Annotation


class Belongings(NamedTuple):
    """The number of rows of each kind that belong to an annotation, its time in seconds, and the number of its
    annotator's earlier submissions.
    """

    comments: int
    edits: int
    sources: int
    findings: int
    seconds: int
    # Tags that the annotator has submitted or was given before this one, counted up to `FIRST_FEW`.
    before: int

    @property
    def is_new_here(self) -> bool:
        return self.before < FIRST_FEW


FIRST_FEW = 3
_COUNT = """
SELECT (SELECT COUNT(*) FROM annotation_comment WHERE annotation_id = %s),
       (SELECT COUNT(*) FROM annotation_suggestededit WHERE annotation_id = %s),
       (SELECT COUNT(*) FROM annotation_passagesource
        JOIN annotation_passage ON annotation_passage.id = passage_id WHERE annotation_id = %s),
       (SELECT COUNT(*) FROM annotation_watchresult WHERE tag_id = %s),
       (SELECT COALESCE(SUM(seconds), 0) FROM annotation_steptime WHERE annotation_id = %s),
       (SELECT COUNT(*) FROM (SELECT 1 FROM annotation_annotation
        WHERE annotator_id = %s AND (submitted_at IS NOT NULL OR id < %s) LIMIT %s) AS first_few)
"""


def belongings_of(annotation: Annotation) -> Belongings:
    pk = annotation.pk
    with prepared_cursor() as cursor:
        cursor.execute(_COUNT, [pk, pk, pk, annotation.tag_id, pk, annotation.annotator_id, pk, FIRST_FEW])
        return Belongings(*map(int, cursor.fetchone()))
