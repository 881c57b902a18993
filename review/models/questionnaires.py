"""The codes of the registered questionnaires, and what the database has to know of each."""

_pairs: dict[str, bool] = {}


def declare(code: str, *, has_pairs: bool | None = None) -> None:
    """Make the code of a questionnaire known. With `has_pairs`, each two judgments of an item are a pair."""
    _pairs[code] = _pairs.get(code, False) if has_pairs is None else has_pairs


def first_questionnaire() -> str:
    """The code of the questionnaire of new rounds unless another one is chosen: the first registered one."""
    return next(iter(_pairs), "")


def has_pairs(code: str) -> bool:
    """Return whether each two judgments of an item are a pair in rounds of this questionnaire."""
    return _pairs.get(code, False)
