"""Reads answers to ConflictBank's questions, by two protocols that no table mixes.

`option`: the log-probabilities of the first token decide. `text`: the reply names exactly one option. An answer that
cannot be read stays unread with the reason: it is never a guess.
"""

from .options import read_option
from .texts import read_text

OPTION, TEXT = "option", "text"
PROTOCOLS = (OPTION, TEXT)

__all__ = ["OPTION", "PROTOCOLS", "TEXT", "read_option", "read_text"]
