"""The way of keeping of each questionnaire: answers, unless it registers another one."""

from ...models import questionnaires
from .answers import ANSWERS
from .keeping import Keeping

_own: dict[str, Keeping] = {}


def register(code: str, keeping: Keeping) -> None:
    """Register the way in which the questionnaire with this code keeps what people say."""
    _own[code] = keeping
    questionnaires.declare(code, has_pairs=keeping.has_pairs)


def kept_by(keeping: Keeping) -> list[str]:
    """The codes of the questionnaires that have registered this way."""
    return [code for code, each in _own.items() if each is keeping]


def keeping_of(code: str) -> Keeping:
    return _own.get(code, ANSWERS)
