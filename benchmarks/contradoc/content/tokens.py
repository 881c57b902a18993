"""Counts the tokens of a text, by a tokenizer in a folder that the settings name: the paper gives lengths in tokens,
without naming the tokenizer. Nothing is ever fetched.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

from core.languages import say
from core.refusals import Refusal

FILE = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Tokens:
    """A tokenizer by the name of its folder, and a function that counts the tokens of a text, without special
    tokens.
    """

    name: str
    count: Callable[[str], int]


def configured_tokens() -> Tokens | None:
    """The tokenizer in the settings; None without one. Raises Refusal if it is not installed or cannot be read."""
    return tokens_in(Path(settings.LOCAL_TOKENIZER)) if settings.LOCAL_TOKENIZER else None


@cache
def tokens_in(folder: Path) -> Tokens:
    try:
        # Imported only here: it comes with the extra `local-models`.
        from tokenizers import Tokenizer
    except ImportError:
        raise Refusal(
            say("The library of tokenizers is not installed. An operator adds it with the extra local-models.")
        ) from None
    try:
        tokenizer = Tokenizer.from_file(str(folder / FILE))
    except Exception as error:  # the library raises nothing narrower
        raise Refusal(
            say("There is no tokenizer in {folder} that can be read: {error}.", folder=folder, error=error)
        ) from None
    tokenizer.no_truncation()
    return Tokens(folder.name, lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids))
