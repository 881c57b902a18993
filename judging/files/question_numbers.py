"""Questions that the records of a file name by `question_ID`: one number always names one question."""

from typing import Any

from core.files.problems import ShapeError
from core.languages import in_sentence, say

# A count distinguishes identical instances.
MOST_COPIES = 20


class QuestionNumbers:
    """The questions of one file by release, if known, and `question_ID`."""

    def __init__(self) -> None:
        # The instance of each, and the first record.
        self.named: dict[tuple[str, int | None, int], tuple[Any, str]] = {}
        # By texts: the numbers with these texts, each with its position among them.
        self.alike: dict[bytes, dict[int, int]] = {}

    def check(self, benchmark: str, release: int | None, number: int | None, instance: object, where: str) -> None:
        """Raises ShapeError if the number names another question in an earlier record."""
        if number is None:
            return
        first, began = self.named.setdefault((benchmark, release, number), (instance, where))
        if first != instance:
            raise ShapeError(
                "question_ID",
                say(
                    "is {number}, which names another question in {began}",
                    number=number,
                    began=in_sentence(began),
                ),
            )

    def copy_of(self, texts: bytes, number: int | None) -> int:
        """The number of earlier questions with the same texts and other numbers. Raises ShapeError if there are too
        many.
        """
        if number is None:
            return 0
        numbers = self.alike.setdefault(texts, {})
        copy = numbers.setdefault(number, len(numbers))
        if copy >= MOST_COPIES:
            raise ShapeError(
                "question_ID",
                say("is one of more than {most_copies} numbers for the same texts", most_copies=MOST_COPIES),
            )
        return copy
