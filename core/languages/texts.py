"""Texts of the program that are English everywhere except on pages.

A `Text` is a string, and this string is the English text: in the API, in files, in the log, in the database, and
where it is compared. Only HTML shows it in the language of the request, as Django asks each value of a template for
its `__html__`. So no export depends on who asks for it.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from string import Formatter
from typing import Any

from django.utils import translation
from django.utils.formats import date_format, get_format
from django.utils.html import escape
from django.utils.safestring import SafeString

ENGLISH = "en"


def is_english() -> bool:
    """Return whether the texts of the present request are English. Without a request they are."""
    return (translation.get_language() or ENGLISH) == ENGLISH


class Text(str):
    """An English text, with a function that makes the text of the present language."""

    made: Callable[[], str]
    # The function that made it, its arguments and its values, if it can be kept with them (`kept.py`).
    made_by: tuple[str, tuple[Any, ...], Mapping[str, Any]] | None

    def __new__(
        cls,
        english: str,
        made: Callable[[], str],
        made_by: tuple[str, tuple[Any, ...], Mapping[str, Any]] | None = None,
    ) -> "Text":
        text = super().__new__(cls, english)
        text.made, text.made_by = made, made_by
        return text

    def shown(self) -> str:
        """The text in the language of the present request."""
        return "".join((self,)) if is_english() else self.made()

    def __html__(self) -> SafeString:
        return escape(self.shown())

    # It stays what it is where Django copies fields of forms and turns their labels into strings.
    def __str__(self) -> str:
        return self

    def __copy__(self) -> "Text":
        return self

    def __deepcopy__(self, memo: object) -> "Text":
        return self

    def __reduce__(self) -> tuple:
        return str, ("".join((self,)),)


def say(message: str, /, **values: Any) -> Text:
    """The text, with values in place of its names in braces: `say("{name} has {count:,} tags", …)`.

    The catalog of a language has the message as it stands here, so it has to be a literal. Numbers with a format get
    the separators of the language, and values that are texts themselves are translated, too.
    """
    if not values:
        return Text(message, lambda: translation.gettext(message), ("say", (message,), values))
    english = message.format(**values)
    return Text(english, lambda: _filled(translation.gettext(message), values), ("say", (message,), values))


def say_in(context: str, word: str) -> Text:
    """A word that means something else elsewhere. The context, in plain words, tells translators which meaning
    this is; it is shown nowhere.
    """
    return Text(word, lambda: translation.pgettext(context, word), ("say_in", (context, word), {}))


def say_count(count: int, one: str, many: str, /, *, most: int | None = None, **values: Any) -> Text:
    """One of two texts: for one, and for any other number. `{count:,}` may stand in both; it is "more than 1,000" if
    it was counted up to `most`, and there are more, or what `values` gives as `count` instead.
    """
    if most is not None and count > most:
        values["count"] = say("more than {most:,}", most=most)
    values.setdefault("count", count)
    english = _counted(one if count == 1 else many, values).format(**values)
    return Text(
        english,
        lambda: _filled(_counted(translation.ngettext(one, many, count), values), values),
        ("say_count", (count, one, many), values),
    )


def _counted(message: str, values: Mapping[str, Any]) -> str:
    return message.replace("{count:,}", "{count}") if isinstance(values["count"], str) else message


def say_date(day: date, form: str = "DATE_FORMAT") -> Text:
    """The day or time, by a format that each language has: see `core/languages/formats`."""
    with translation.override(ENGLISH):
        english = date_format(day, form)
    return Text(english, lambda: date_format(day, form))


def number(count: int) -> Text:
    """The number with separators of thousands."""
    return figure(f"{count:,}")


def figure(written: str) -> Text:
    """A number as Python writes it, with the separators of the language."""
    return Text(written, lambda: local_number(written), ("figure", (written,), {}))


def joined(parts: Iterable[str], separator: str = " ") -> Text:
    """The parts as one text."""
    parts = list(parts)
    return Text(
        separator.join(parts),
        lambda: separator.join(map(translated, parts)),
        ("joined", (parts, separator), {}),
    )


def changed(text: str, change: Callable[[str], str]) -> str:
    """The text after a change, such as to a capital first letter, in whichever language it is shown."""
    return Text(change(text), lambda: change(text.shown())) if isinstance(text, Text) else change(text)


def in_sentence(text: str) -> str:
    """A label within a sentence: in lower case in English only, as other languages have nouns with a capital."""
    return Text(text.lower(), lambda: translated(text))


def translated(text: str) -> str:
    """The text in the language of the present request; for what is no HTML, such as a message of a script."""
    return text.shown() if isinstance(text, Text) else text


def in_words_of(text: str) -> str:
    """The translation of a text that comes from the database or another program, if the catalog has it."""
    return translated(text) if isinstance(text, Text) or not text else translation.gettext(text)


class _Filler(Formatter):
    def format_field(self, value: Any, spec: str) -> str:
        if isinstance(value, str | Exception):
            return format(translated(str(value)), spec)
        written = format(value, spec)
        return local_number(written) if spec and isinstance(value, int | float | Decimal) else written


def _filled(message: str, values: Mapping[str, Any]) -> str:
    return _Filler().vformat(message, (), values)


def local_number(written: str) -> str:
    """A number as Python writes it, "1,234.5", with the separators of the present language."""
    if is_english():
        return written
    swapped = {",": get_format("THOUSAND_SEPARATOR"), ".": get_format("DECIMAL_SEPARATOR")}
    return "".join(swapped.get(each, each) for each in written)
