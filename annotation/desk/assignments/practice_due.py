"""Decides whether a person has to finish a practice run before getting tags."""

from django.db import connection, models

from core.languages import say
from core.models import User
from core.refusals import Refusal

_FINISHED = """EXISTS (
    SELECT 1 FROM annotation_practiceattempt attempt
    WHERE attempt.practice_tag_id = offered.id AND attempt.person_id = %s AND attempt.finished_at IS NOT NULL
)"""
# Such a tag is not offered to them: see `annotation.practice.attempts.offered_to`.
_OWN_WORK = """EXISTS (
    SELECT 1 FROM annotation_annotation copied JOIN annotation_annotation own ON own.tag_id = copied.tag_id
    WHERE copied.id = offered.annotation_id AND own.annotator_id = %s
)"""

_IS_REQUIRED = "EXISTS (SELECT 1 FROM core_project WHERE practice_required)"
_IS_NEW = """NOT EXISTS (
    SELECT 1 FROM annotation_annotation own WHERE own.annotator_id = %s AND own.submitted_at IS NOT NULL
)"""
_IS_LEFT = (
    "EXISTS (SELECT 1 FROM annotation_practicetag offered WHERE offered.is_offered "  # noqa: S608  # of constants
    f"AND NOT {_FINISHED} AND NOT {_OWN_WORK})"
)


class PracticeDue(Refusal):
    """Raised if the project requires a practice run first."""

    def __init__(self) -> None:
        super().__init__(
            say(
                "This project asks you to finish its practice run before your first tag. No tag was taken. Open "
                "“Practice” under Annotate; you can stop and continue at any time."
            )
        )


class MustPractise(models.Func):
    """The condition that the project requires a practice run, this person has never submitted an annotation, and
    there is a practice tag that they have not finished. As SQL in one piece, checked for each candidate of the queue.
    """

    output_field = models.BooleanField()
    sql = f"({_IS_REQUIRED} AND {_IS_NEW} AND {_IS_LEFT})"

    def __init__(self, person: User):
        super().__init__()
        self.person = person

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        return self.sql, [self.person.pk] * 3


def practice_standing(person: User) -> str:
    """The desk's message to this person about practice: "required" before the first tag, "offered" to people who have
    neither submitted an annotation nor finished all practice tags, else "".
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_IS_REQUIRED}, {_IS_NEW} AND {_IS_LEFT}", [person.pk] * 3)  # constants
        is_required, is_offered = cursor.fetchone()
    return "required" if is_required and is_offered else "offered" if is_offered else ""
