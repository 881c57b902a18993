"""Superscripts and subscripts as plain text: 10<sup>6</sup> is 10⁶ and not 106, x<sub>max</sub> is xₘₐₓ.

One rule for all texts: the Unicode form if every character has one, else `^` or `_` before the text, in brackets
unless it is one word. Only the superscript in an English ordinal (19<sup>th</sup>) stays as it is. Text in, text out.
"""

import html
import re
import unicodedata

SUPERSCRIPT, SUBSCRIPT = SCRIPTS = "sup", "sub"

_RAISED = dict(
    zip(
        "0123456789+-−–=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδφχ ",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᵠᵡ ",
        strict=True,
    )
)
_LOWERED = dict(
    zip("0123456789+-−–=()aehijklmnoprstuvxβγρφχ ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ ", strict=True)
)
_FORMS = {SUPERSCRIPT: _RAISED, SUBSCRIPT: _LOWERED}
_SIGN = {SUPERSCRIPT: "^", SUBSCRIPT: "_"}
_ORDINAL = re.compile(r"st|nd|rd|th", re.IGNORECASE)
_CLOSING = re.compile(r"<(su[pb])\b[^<>]*>([^<>\uf000-\uf8ff]*)</\1\s*>", re.IGNORECASE)


def script_form(text: str, kind: str, *, before: str = "") -> str:
    """The superscript (`sup`) or subscript (`sub`) after the text `before`, in plain text; blanks at its ends
    stay.
    """
    core = text.strip()
    if not core or (kind == SUPERSCRIPT and before[-1:].isdecimal() and _ORDINAL.fullmatch(core)):
        return text
    forms = _FORMS[kind]
    if all(character in forms for character in core):
        written = "".join(forms[character] for character in core)
    elif all(character in forms.values() for character in core):
        written = core  # it has that form already
    else:
        written = _SIGN[kind] + (core if core.isalnum() else f"({core})")
    start = text.index(core)
    return text[:start] + written + text[start + len(core) :]


def with_scripts(text: str) -> str:
    """The text with its `<sup>` and `<sub>` elements written out; unclosed ones stay as they are.

    The text is HTML: entities stay, except in what is written out. Text set aside by `plain_text` is left alone.
    """
    for _ in range(8):  # nested ones
        written = _CLOSING.sub(lambda found: _written(found), text)
        if written == text:
            break
        text = written
    return text


def _written(found: re.Match[str]) -> str:
    content = html.unescape(found[2])
    content = found[2] if re.search("[<>&]", content) else content
    return script_form(content, found[1].lower(), before=found.string[max(0, found.start() - 1) : found.start()])


def folded(text: str) -> str:
    """The text in which 10⁶, 10^6 and 106 are the same; for comparing words only."""
    return re.sub(r"[\^_]", "", unicodedata.normalize("NFKC", text))
