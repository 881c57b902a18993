"""Recognises a human evaluation where a file of responses is expected."""

import re

from core.files.records import read_lists, read_records
from core.languages import say
from core.refusals import Refusal

from .shape import ANSWER

ANSWER_KEY = re.compile(rf'"{ANSWER.pattern}"\s*:')
IMPORTED_ELSEWHERE = say(
    "It is a human evaluation like the paper's: it holds people's verdicts as well. Bring it in on the page "
    "Import a human evaluation, under Reports, or with: manage.py import_human_evaluation FILE."
)


def where_else(begun: str) -> str:
    """Return what to do with a file of this beginning if it is a human evaluation; "" if it is none."""
    return IMPORTED_ELSEWHERE if is_human_evaluation(begun) else ""


def is_human_evaluation(begun: str) -> bool:
    """Return whether a file with this beginning holds models with their records, or the records of one model, like
    the released evaluation: the first record decides.
    """
    if not ANSWER_KEY.search(begun):
        return False
    try:
        is_list = begun.lstrip()[:1] == "["
        first = next(read_records(begun) if is_list else (record for *_, record in read_lists(begun)), None)
    except Refusal:
        return False  # broken: this is reported with the line later
    return isinstance(first, dict) and "text" not in first and any(ANSWER.fullmatch(key) for key in first)
