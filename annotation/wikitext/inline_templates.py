"""Renders templates within a sentence as text: `{{convert|5|km|mi}}` as `5 km`, `{{citation needed}}` as nothing.

An unlisted template shows its unnamed arguments, which is right for most of them: they format or link a word. Texts
are as short as possible: no second unit, no footnote, no name of a language.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from . import inline_template_names as names
from .scripts import SUBSCRIPT, SUPERSCRIPT, script_form

_MONTHS = (
    "", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


@dataclass(slots=True)
class Arguments:
    """The arguments of a template as plain text, stripped."""

    positional: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)

    def at(self, position: int) -> str:
        """The argument with this number, counted from 1, whether or not its number is written."""
        if position <= len(self.positional):
            return self.positional[position - 1]
        return self.named.get(str(position), "")

    def any(self, *names: str) -> str:
        """The first of these named arguments that is not empty."""
        return next((value for name in names if (value := self.named.get(name))), "")

    def given(self) -> list[str]:
        """The unnamed arguments, and those named by a number, that are not empty."""
        numbered = (value for name, value in self.named.items() if name.isdecimal())
        return [value for value in (*self.positional, *numbered) if value]


Reading = Callable[[Arguments], str]


def is_wrapper(name: str) -> bool:
    """Return whether the template only holds banners, as {{multiple issues}} does."""
    return name.casefold() in names.WRAPPERS


def is_silent(name: str) -> bool:
    """Return whether the template is known to show nothing within a sentence."""
    folded = name.casefold()
    return folded not in _READINGS and (folded in _SILENT or _SILENT_PATTERN.match(folded) is not None)


def is_known(name: str) -> bool:
    """Return whether the template's text is known."""
    return is_silent(name) or _reading(name) is not None


def text_of(name: str, arguments: Arguments) -> str | None:
    """The text of the template with this (normalised) name, None if unknown."""
    if is_silent(name):
        return ""
    reading = _reading(name)
    if reading is not None:
        return reading(arguments)
    # Templates such as {{FRA}} show a flag with the name of the country.
    return name if _COUNTRY.fullmatch(name) and not arguments.positional and not arguments.named else None


def _reading(name: str) -> Reading | None:
    folded = name.casefold()
    return _READINGS.get(folded) or (_first if _LANGUAGE.match(folded) else None)


_SILENT = frozenset().union(names.WRAPPERS, names.NOTES, names.REMARKS, names.PICTURES, names.HOUSEKEEPING)
_SILENT_PATTERN = re.compile(
    r"(?:cite |ipa-|ipac-|infobox|pp-|use .+ (?:english|dates)$|party shading/|.*/meta/color)"
    r"|.*(?:needed| inline|.\?|-fn|[ -]stub|icon)$"
)
_COUNTRY = re.compile(r"[A-Z]{3}")
_LANGUAGE = re.compile(r"lang-[a-z]")

# --- Readings that need a thought ------------------------------------------------------------------------------

_BETWEEN = {
    "-": "–", "–": "–", "to": " to ", "to(-)": " to ", "and": " and ", "and(-)": " and ", "or": " or ", "by": " by ",
    "x": " × ", "×": " × ", "xx": " × ", "*": " × ", "+/-": " ± ", "±": " ± ", "+": " + ",
}  # fmt: skip
_UNITS = {
    "sqmi": "sq mi", "sqft": "sq ft", "sqkm": "km2", "sqm": "m2", "cuft": "cu ft", "cumi": "cu mi",
    "cuyd": "cu yd", "C": "°C", "F": "°F", "C-change": "°C", "F-change": "°F", "impgal": "imp gal",
    "USgal": "US gal", "USoz": "US fl oz", "shortton": "short tons", "ST": "short tons", "LT": "long tons",
    "MT": "t", "kn": "knots", "kt": "knots", "acre": "acres", "ftin": "ft",
}  # fmt: skip
_UNITS_WITH_SMALLER = {"ft", "mi", "yd", "lb", "st", "stone", "h", "hr"}
_POWER = re.compile(r"(?<=[a-z])[23](?![\w.])")
_CHARGE = re.compile(r"\d?[+−-]")
_COUNT = re.compile(r"(?<=[A-Za-z)\]])\d+(?![\d+−-])")
_NUMBER = re.compile(r"[\d.,]+(?:[/+⁄]\d+)*")


def _first(args: Arguments) -> str:
    return args.at(1) or args.any("text", "content", "quote")


def _second(args: Arguments) -> str:
    return args.at(2) or args.at(1)


def _lines(args: Arguments) -> str:
    items = re.split(r"\n[*#:;\s]*", _first(args).lstrip("*#:; "))
    return ", ".join(item for item in items if item)


def _last(args: Arguments) -> str:
    return next(reversed(args.given()), "")


def _listed(args: Arguments) -> str:
    return ", ".join(args.given())


def _convert(args: Arguments) -> str:
    """Value and unit as written, with ranges (5|to|7|km) and mixed units (6|ft|2|in)."""
    values = args.positional
    text, position = args.at(1), 1
    while position + 1 < len(values) and values[position] in _BETWEEN:
        text += _BETWEEN[values[position]] + values[position + 1]
        position += 2
    unit = args.at(position + 1)
    text = f"{text} {_unit(unit)}".strip()
    number, smaller = args.at(position + 2), args.at(position + 3)
    if unit in _UNITS_WITH_SMALLER and smaller and _NUMBER.fullmatch(number):
        text += f" {number} {_unit(smaller)}"
    return text


def _unit(code: str) -> str:
    """A unit as it is shown: `km2` is km²."""
    return _POWER.sub(lambda found: _raised(found[0]), _UNITS.get(code, code))


def _raised(text: str) -> str:
    return script_form(text, SUPERSCRIPT)


def _lowered(text: str) -> str:
    return script_form(text, SUBSCRIPT)


def _chem(args: Arguments) -> str:
    """{{chem|SO|4|2-}}: elements, counts and charges in turn."""
    return "".join(
        _lowered(value) if value.isdecimal() else _raised(value) if _CHARGE.fullmatch(value) else value
        for value in args.given()
    )


def _chem2(args: Arguments) -> str:
    """{{chem2|H2O}}: a number after an element or a bracket is its count."""
    return _COUNT.sub(lambda found: _lowered(found[0]), args.at(1))


def _nuclide(args: Arguments) -> str:
    """{{nuclide|C|14}} as ¹⁴C; with the name of the element in place of its symbol, carbon-14."""
    element, number = args.at(1), args.at(2) + args.at(3)
    if len(element) > 2:
        return f"{element}-{number}" if number else element
    return (_raised(number) if number else "") + element


def _stacked(args: Arguments) -> str:
    """{{su|p=3|b=1}}: one raised, one lowered."""
    raised, lowered = args.any("p", "1"), args.any("b", "2")
    return (_raised(raised) if raised else "") + (_lowered(lowered) if lowered else "")


def _plus_minus(args: Arguments) -> str:
    """{{±}}, {{±|0.2}}, and {{±|0.3|0.2}} as +0.3 −0.2."""
    up, down = args.at(1), args.at(2)
    return f"+{up.lstrip('+')} −{down.lstrip('-−')}" if down else f"±{up}"


def _val(args: Arguments) -> str:
    """{{val|1.5|0.2|e=6|u=kg|up=m}} as `1.5 ± 0.2 × 10⁶ kg/m`."""
    text = args.any("p") + args.at(1)
    if args.at(3):
        text += f" +{args.at(2).lstrip('+')} {args.at(3)}"
    elif args.at(2):
        text += f" ± {args.at(2)}"
    exponent, unit, per = args.any("e"), args.any("u", "ul"), args.any("up", "upl")
    text += (f" × 10{_raised(exponent)}" if exponent else "") + args.any("s")
    return text + (f" {unit}" if unit else "") + (f"/{per}" if per else "")


def _fraction(args: Arguments) -> str:
    match args.given()[:3]:
        case [bottom]:
            return f"1/{bottom}"
        case [top, bottom]:
            return f"{top}/{bottom}"
        case [whole, top, bottom]:
            return f"{whole} {top}/{bottom}"
    return ""


def _height(args: Arguments) -> str:
    named = [f"{value} {unit}" for unit in ("m", "cm", "ft", "in") if (value := args.any(unit))]
    return " ".join(named or args.given())


def _duration(args: Arguments) -> str:
    parts = args.positional[:3] or [args.any(unit) for unit in ("h", "m", "s")]
    while parts and not parts[0]:
        parts = parts[1:]
    return ":".join([*parts[:1], *(part.zfill(2) for part in parts[1:])])


def _date(year: str, month: str, day: str, *, day_first: bool) -> str:
    month = _MONTHS[int(month)] if month.isdecimal() and int(month[:4]) <= 12 else month
    day = day.lstrip("0")
    if not month or not day:
        return f"{month} {year}".strip()
    return f"{day} {month} {year}".strip() if day_first else f"{month} {day}, {year}".rstrip(", ")


def _calendar_date(args: Arguments) -> str:
    """{{birth date|1950|1|2}}: month first, as the template shows it, unless df= asks for the other way."""
    return _date(args.at(1), args.at(2), args.at(3), day_first=args.any("df").lower() in {"y", "yes", "1", "true"})


def _written_date(args: Arguments) -> str:
    """{{dts|2004|5|1}}, {{dts|2004-05-01}} and {{dts|1 May 2004}}."""
    iso = re.fullmatch(r"(\d{4})-(\d\d?)(?:-(\d\d?))?", args.at(1))
    if iso:
        return _date(iso[1], iso[2], iso[3] or "", day_first=True)
    if args.at(2) and args.at(1).isdecimal():
        return _date(args.at(1), args.at(2), args.at(3), day_first=True)
    return args.at(1)


def _as_of(args: Arguments) -> str:
    begin = "Since" if args.any("since") else "As of"
    date = _date(args.at(1), args.at(2), args.at(3), day_first=not args.any("df").upper().startswith("US"))
    return args.any("alt") or f"{begin.lower() if args.any('lc') else begin} {date}"


def _age(args: Arguments) -> str:
    """{{age|1950|5|1|2000|4|30}} as `49`. Without a second date it would be the current age, which a stored text
    cannot have.
    """
    values = args.positional[:6]
    if len(values) < 6 or not all(value.isdecimal() and len(value) <= 4 for value in values):
        return ""
    year, month, day, later_year, later_month, later_day = map(int, values)
    return str(later_year - year - ((later_month, later_day) < (month, day)))


def _percentage(args: Arguments) -> str:
    try:
        share = 100 * float(args.at(1).replace(",", "")) / float(args.at(2).replace(",", ""))
        return f"{share:.{int(args.at(3) or 0) % 10}f}%"
    except (ValueError, ZeroDivisionError, OverflowError):
        return " of ".join(args.given()[:2])


def _with_brackets(name: str, addition: str) -> str:
    return f"{name} ({addition})" if addition else name


def _nihongo(args: Arguments) -> str:
    return _with_brackets(args.at(1), ", ".join(value for value in (args.at(2), args.at(3)) if value)).strip()


def _chinese(args: Arguments) -> str:
    return ", ".join(value for name in ("t", "c", "s", "p", "l") if (value := args.any(name))) or _first(args)


def _author_year(args: Arguments) -> str:
    *authors, year = args.given() or [""]
    return f"{' & '.join(authors)} ({year})" if authors else year


def _work(args: Arguments) -> str:
    """A work in a bibliography. One in a reference never gets here."""
    author, given = args.any("author", "author1", "last", "last1", "editor"), args.any("first", "first1")
    parts = (
        f"{author}, {given}" if author and given else author,
        args.any("chapter", "contribution"),
        args.any("title"),
        args.any("work", "journal", "website", "newspaper", "magazine"),
        args.any("publisher"),
        args.any("date", "year"),
    )
    return ". ".join(part for part in parts if part)


def _spaces(args: Arguments) -> str:
    count = args.at(1)
    return "\u00a0" * (min(int(count[:4]), 20) if count.isdecimal() else 1)


def _joined(joint: str, before: str = "", after: str = "") -> Reading:
    """All arguments, with a separator and with text around them."""
    return lambda args: before + joint.join(args.given()) + after


def _prefixed(prefix: str) -> Reading:
    return lambda args: prefix + args.at(1)


def _ship(prefix: str) -> Reading:
    return lambda args: _shown_ship(prefix, args.at(1), args.at(2), args.at(3))


def _shown_ship(prefix: str, name: str, number: str, style: str) -> str:
    """{{USS|Enterprise|CV-6}} as `USS Enterprise (CV-6)`; a last argument can ask for less."""
    full = f"{prefix} {name}".strip()
    return {"2": name, "3": number, "6": full}.get(style, _with_brackets(full, number))


def _or_else(text: str) -> Reading:
    return lambda args: args.at(1) or text


def _fixed(text: str) -> Reading:
    return lambda args: text


# --- Which template reads how ----------------------------------------------------------------------------------


def _table() -> dict[str, Reading]:
    table: dict[str, Reading] = {}
    for group, reading in (
        (names.FIRST, _first),
        (names.SECOND, _second),
        (names.LAST, _last),
        (names.JOINED, _joined("")),
        (names.LINES, _lines),
        (names.LISTED, _listed),
        (names.CONVERT, _convert),
        (names.FRACTION, _fraction),
        (names.DURATION, _duration),
        (names.DATE, _calendar_date),
        (names.WRITTEN_DATE, _written_date),
        (names.SHIP_CLASS, lambda args: f"{args.at(1)}-class {args.at(2)}".strip()),
        (names.FOREIGN_LINK, lambda args: args.any("lt", "display", "text") or args.at(1)),
        (names.CHINESE, _chinese),
        (names.AUTHOR_YEAR, _author_year),
        (names.WORK, _work),
    ):
        table |= dict.fromkeys(group, reading)
    table |= {prefix.casefold(): _ship(prefix) for prefix in names.SHIP_PREFIXES}
    table |= {name: _or_else(text) for name, text in names.CELLS.items()}
    for group_of, shown in ((_prefixed, names.CURRENCIES), (_fixed, names.SIGNS)):
        for text, aliases in shown.items():
            table |= {name.strip(): group_of(text) for name in aliases.split(", ")}
    return table | {
        "val": _val,
        "height": _height,
        "as of": _as_of,
        "asof": _as_of,
        "nbsp": _spaces,
        "nihongo": _nihongo,
        "nihongo2": _first,
        "ship": lambda args: _shown_ship(args.at(1), args.at(2), args.at(3), args.at(4)),
        "smu": lambda args: f"SM {args.at(1)}",
        "audio": lambda args: args.at(2),
        "age": _age,
        "percentage": _percentage,
        "pct": _percentage,
        "rnd": _first,
        "round": _first,
        "sortname": lambda args: f"{args.at(1)} {args.at(2)}".strip(),
        "bibleverse": lambda args: f"{args.at(1)} {args.at(2)}".strip(),
        "sic": lambda args: "".join(args.given()[:2]),
        "e": lambda args: "×10" + _raised(args.at(1)),
        "esp": lambda args: "×10" + _raised(args.at(1)),
        "10^": lambda args: "10" + _raised(args.at(1)),
        "sup": lambda args: _raised(_first(args)),
        "sub": lambda args: _lowered(_first(args)),
        "chem": _chem,
        "chem2": _chem2,
        **dict.fromkeys(("nuclide", "simplenuclide"), _nuclide),
        "su": _stacked,
        "subsup": lambda args: args.at(1) + _lowered(args.at(2)) + _raised(args.at(3)),
        **dict.fromkeys(("±", "+-", "plusminus"), _plus_minus),
        "b.": _prefixed("b. "),
        "born": _prefixed("b. "),
        "d.": _prefixed("d. "),
        "died": _prefixed("d. "),
        **dict.fromkeys(("circa", "c.", "c", "ca", "ca."), _joined(" – c. ", "c. ")),
        **dict.fromkeys(("floruit", "fl."), _joined("–", "fl. ")),
        **dict.fromkeys(("reign", "r."), _joined("–", "r. ")),
        **dict.fromkeys(("section link", "slink"), _joined(" § ")),
        **dict.fromkeys(("angle bracket", "angbr"), _joined("", "⟨", "⟩")),
        **dict.fromkeys(("interp", "bracket"), _joined("", "[", "]")),
        "h:title": lambda args: args.at(2),
        "music": lambda args: {"sharp": "♯", "flat": "♭", "natural": "♮"}.get(args.at(1), args.at(1)),
        "quote box": lambda args: args.any("quote") or args.at(1),
        "collapsible list": lambda args: ", ".join((args.any("title"), *args.given())).strip(", "),
    }


_READINGS = _table()
