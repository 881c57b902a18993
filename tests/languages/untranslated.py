"""Finds texts of pages that no catalog can have: in templates outside `{% t %}`, in the rest outside `say`."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# Elements within a sentence; all others begin a text of their own.
INLINE = {
    *("a", "abbr", "b", "br", "cite", "code", "em", "i", "kbd", "mark", "q", "samp"),
    *("small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr"),
}
# Their content is no sentence.
NO_WORDS = {"script", "style"}
NAMES_ONLY = {"code", "kbd", "samp", "var"}
VOID = {"br", "wbr", "img", "input", "hr", "link", "meta"}
READ_ALOUD = (
    "aria-label",
    "title",
    "placeholder",
    "alt",
    "data-confirm",
    "data-label",
    "aria-description",
    "aria-roledescription",
)
# Tags of templates that stand for a value within a sentence.
VALUES = {"url", "querystring", "static", "cycle", "now", "firstof"}
OPENS, CLOSES = ("t", "comment", "verbatim"), ("endt", "endcomment", "endverbatim")
PIECE = re.compile(r"({%.*?%}|{{.*?}}|{#.*?#})", re.DOTALL)
ATTRIBUTE = re.compile(rf'\s({"|".join(READ_ALOUD)})="', re.DOTALL)
# And names, which no language changes.
ENTITY = re.compile(
    r"&#?\w+;|WikiContradict|Workbench|ContraDoc|ConflictBank|\b(?:CSV|JSON|LaTeX|PNG|SVG|PDF|AC1|F1|API|URL)\b"
)
LETTER = re.compile(r"[A-Za-z]")


@dataclass
class Atom:
    """A piece of a template: "text", "value", "tag" of the template, "element" or "comment"."""

    kind: str
    start: int
    end: int
    name: str = ""
    closes: bool = False
    within: list["Atom"] = field(default_factory=list)


def texts_outside(source: str) -> list[tuple[int, int]]:
    """The beginnings and ends of texts outside `{% t %}`."""
    return sorted(_spans(source, list(_atoms(source, 0, len(source)))))


def _spans(source: str, atoms: list[Atom]) -> Iterator[tuple[int, int]]:
    run: list[Atom] = []
    depth, skipped, in_a_name = 0, "", False
    for atom in [*atoms, Atom("tag", len(source), len(source), "end")]:
        if depth == 0 and not skipped and atom.kind == "element":
            yield from _in_attributes(source, atom)
        if atom.kind == "tag" and atom.name in OPENS:
            depth += 1
        if skipped or depth:
            pass
        elif _within_a_sentence(atom):
            run.append(atom)
            continue
        yield from _in_run(source, run)
        run = []
        if atom.kind == "tag" and (atom.name in CLOSES or (in_a_name and atom.name == "endblock")):
            depth -= 1
            in_a_name = False
        if atom.kind == "tag" and atom.name == "names":
            depth, in_a_name = depth + 1, True
        if atom.kind == "element" and atom.name in NO_WORDS:
            skipped = "" if atom.closes else atom.name


def _within_a_sentence(atom: Atom) -> bool:
    if atom.kind == "element":
        return atom.name in INLINE
    return atom.kind in ("text", "value") or (atom.kind == "tag" and atom.name in VALUES)


def _in_run(source: str, run: list[Atom]) -> Iterator[tuple[int, int]]:
    """The texts of pieces between two that begin a text of their own."""
    lone = _unpaired(run)
    part: list[Atom] = []
    for at, atom in enumerate(run):
        if at in lone:
            yield from _in_part(source, part)
            part = []
        else:
            part.append(atom)
    yield from _in_part(source, part)


def _unpaired(run: list[Atom]) -> set[int]:
    """The elements that begin or end outside of this run."""
    lone, open_ = set(), []
    for at, atom in enumerate(run):
        if atom.kind != "element" or atom.name in VOID:
            continue
        if not atom.closes:
            open_.append(at)
        elif open_ and run[open_[-1]].name == atom.name:
            open_.pop()
        else:
            lone.add(at)
    return lone | set(open_)


def _in_part(source: str, part: list[Atom]) -> Iterator[tuple[int, int]]:
    """The part as one text if words stand in it directly, else the texts of its elements."""
    depth, direct, inside, begun = 0, False, [], 0
    for at, atom in enumerate(part):
        if atom.kind == "element" and atom.name not in VOID:
            depth += -1 if atom.closes else 1
            if depth == 1 and not atom.closes:
                begun = at
            if depth == 0 and atom.closes and atom.name not in NAMES_ONLY:
                inside.append(part[begun + 1 : at])
        elif atom.kind == "text" and depth == 0 and has_words(source[atom.start : atom.end]):
            direct = True
    if direct:
        yield _trimmed(source, part[0].start, part[-1].end)
        return
    for each in inside:
        yield from _in_part(source, each)


def _trimmed(source: str, start: int, end: int) -> tuple[int, int]:
    text = source[start:end]
    return start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())


def has_words(text: str) -> bool:
    return bool(LETTER.search(ENTITY.sub("", text)))


def _in_attributes(source: str, element: Atom) -> Iterator[tuple[int, int]]:
    for match in ATTRIBUTE.finditer(source, element.start, element.end):
        end = _end_of_value(source, match.end())
        yield from _spans(source[:end], list(_atoms(source, match.end(), end)))


def _end_of_value(source: str, start: int) -> int:
    """The index of the quotation mark that ends an attribute: one within a tag of the template does not."""
    at = start
    while source[at] != '"':
        piece = PIECE.match(source, at)
        at = piece.end() if piece else at + 1
    return at


def _atoms(source: str, start: int, end: int) -> Iterator[Atom]:
    at = begun = start
    while at < end:
        if piece := PIECE.match(source, at):
            if begun < at:
                yield Atom("text", begun, at)
            yield _of_template(piece[0], piece.start(), piece.end())
            at = begun = piece.end()
        elif source[at] == "<" and (found := re.compile(r"<(/?)([a-zA-Z!][\w-]*)").match(source, at)):
            if begun < at:
                yield Atom("text", begun, at)
            at = begun = _end_of_element(source, at)
            yield Atom("element", found.start(), at, found[2].lower(), bool(found[1]))
        else:
            at += 1
    if begun < end:
        yield Atom("text", begun, end)


def _of_template(piece: str, start: int, end: int) -> Atom:
    if piece.startswith("{{"):
        return Atom("value", start, end)
    if piece.startswith("{#"):
        return Atom("comment", start, end)
    words = piece[2:-2].split()
    if words[0] == "block" and words[1].endswith(("_class", "_attributes")):
        return Atom("tag", start, end, "names")
    return Atom("tag", start, end, "set" if "as" in words[-2:-1] else words[0])


def _end_of_element(source: str, at: int) -> int:
    quoted = ""
    while at < len(source):
        if piece := PIECE.match(source, at):
            at = piece.end()
            continue
        if quoted:
            quoted = "" if source[at] == quoted else quoted
        elif source[at] in "\"'":
            quoted = source[at]
        elif source[at] == ">":
            return at + 1
        at += 1
    return at


# A text given to one of these is for people: the numbers of the arguments.
SAYS = {
    "Refusal": (0,),
    "Forbidden": (0,),
    "ValidationError": (0,),
    "success": (1,),
    "info": (1,),
    "warning": (1,),
    "error": (1,),
    "NavItem": (0, 4),
    "Stage": (0, 4, 5),
    "Need": (1, 2),
    "Stop": (1, 2),
    "Tour": (1,),
    "Finder": (0,),
    "required_text": (1,),
    "broken": (0,),
    "add_error": (1,),
    "ShapeError": (1,),
    "Clash": (0,),
    "NotJson": (1,),
    "Finding": (0, 2, 3),
    "GivenUp": (0,),
    "WikiError": (0,),
    "DumpError": (0,),
    "MissingPage": (1,),
    "NotStored": (0,),
    "NotToBeHad": (0,),
    "EndpointRefused": (0,),
}
OF_MESSAGES = ("success", "info", "warning", "error")
NAMED = ("label", "help_text", "empty_label", "about", "title", "act")


def plain_texts(source: str) -> list[tuple[int, str]]:
    """The lines of Python with a text for people that is not in `say`: of refusals, messages, labels and help."""
    return sorted(
        (text.lineno, ast.unparse(text))
        for node in ast.walk(ast.parse(source))
        for text in _said(node)
        if _is_text(text)
    )


def _said(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        owner = getattr(getattr(node.func, "value", None), "id", "")
        if name in SAYS and (name not in OF_MESSAGES or owner == "messages"):
            yield from (node.args[at] for at in SAYS[name] if at < len(node.args))
        is_column = owner == "models" or name in ("SaidField", "SaidCharField")
        # The help text of a column is for those who read the code or the API's schema.
        named = [each for each in NAMED if name != "Q" and (each != "help_text" or not is_column)]
        yield from (each.value for each in node.keywords if each.arg in named)
    elif isinstance(node, ast.ClassDef) and any("Choices" in ast.unparse(base) for base in node.bases):
        for line in node.body:
            if isinstance(line, ast.Assign) and isinstance(line.value, ast.Tuple):
                yield line.value.elts[-1]


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return True
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and has_words(node.value)


LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# In a script: what is said, comments, keys, and errors for those who wrote it.
SAID = re.compile(
    rf'\bsay(?:Count)?\((?:[^"\n]*?, )?{LITERAL}(?:, {LITERAL})?|^\s*(?://|/?\*).*$|make\("kbd".*?\)|\bthrow .*$',
    re.MULTILINE,
)
SENTENCE = re.compile(r'["`](?:\${[^}]*} )?[A-Z][a-z]*,? [a-z][^"`\n]*["`]')
SHOWN = re.compile(rf"\b(?:textContent|title|placeholder|label)(?: =|:) ({LITERAL}|`[^`\n]*`)")
VALUE = re.compile(r"\${[^}]*}|\\u\w{4}")


def script_texts(source: str) -> list[str]:
    """The sentences of a script, and the texts of its elements, that are not in `say`."""
    rest = SAID.sub("", source)
    shown = [match[1] for match in SHOWN.finditer(rest) if has_words(VALUE.sub("", match[1]))]
    return [*SENTENCE.findall(rest), *shown]
