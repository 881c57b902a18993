"""Numbers, names and amounts of money in the sentences of pages, messages and commands."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from django.conf import settings

from .languages import Text, joined, number, say, say_count
from .languages.texts import local_number

# Small numbers as words.
NUMBER_WORDS = {1: say("one"), 2: say("two"), 3: say("three"), 4: say("four"), 5: say("five")}


def up_to(count: int, most: int) -> str:
    """A number that was counted up to `most`, as by `count_up_to`: "60", "more than 1,000"."""
    return say("more than {most:,}", most=most) if count > most else number(count)


def plural(count: int, word: str, words: str = "", *, most: int | None = None) -> str:
    """A number with its noun: "1 tag is", "2 tags are", "more than 1,000 tags".

    Args:
        count: printed with thousands separators.
        word: the noun for one, with a verb where the sentence needs one; a literal, as catalogs have it.
        words: the same for any other number; by default `word` with an s.
        most: the limit, if it was counted up to one.
    """
    return say_count(count, f"{{count:,}} {word}", f"{{count:,}} {words or word + 's'}", most=most)


def joined_names(names: Sequence[str], *, most: int = 4) -> str:
    """Names as a list in a sentence: "a, b and c"; with more than `most`, "a, b and 3 more"."""
    if len(names) > most:
        return say("{names} and {more} more", names=joined(names[: most - 1], ", "), more=len(names) - most + 1)
    if len(names) < 2:
        return names[-1]
    return say("{names} and {last}", names=joined(names[:-1], ", "), last=names[-1])


def money(amount: Decimal | None, nothing: str = "–") -> str:
    """An amount in the currency of the models' prices: "US$12.40", "US$0.0031", "EUR 12.40".

    Args:
        amount: two decimals from a cent up, two significant figures below.
        nothing: the words for an unknown amount.
    """
    if amount is None:
        return nothing
    decimals = 2 if abs(amount) >= 1 or not amount else min(10, max(2, 1 - amount.adjusted()))
    rounded = amount.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    sign, unit, digits = "-" if rounded < 0 else "", _unit(), f"{abs(rounded):,f}"
    return Text(f"{sign}{unit}{digits}", lambda: f"{sign}{unit}{local_number(digits)}")


def in_currency(words: str) -> str:
    """A label for amounts: "Budget (US$)"."""
    return joined([words, f"({settings.CURRENCY})"])


def _unit() -> str:
    """The currency before an amount: a code stands apart from it, a sign does not."""
    return f"{settings.CURRENCY}\N{NO-BREAK SPACE}" if settings.CURRENCY[-1].isalpha() else settings.CURRENCY
