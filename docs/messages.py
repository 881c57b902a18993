"""Writes the catalogs of languages from the texts in the sources. `python -m docs.messages`.

For each folder in `locale/` but English: its `django.po` gets the messages that templates and Python have now, with
the translations that are there already; then follow `django.mo`, which Django reads, and a script with the texts that
scripts say. A message that has changed is a new one, without a translation.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import django
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
LOCALE = ROOT / "locale"
SCRIPTS = ROOT / "static" / "scripts"
SOURCES = ("core", "annotation", "judging", "review", "benchmarks")
# For programs and terminals: their nouns need no translation.
ENGLISH = ("/api/", "/management/")
# A text in an argument of a tag: `default:_("none")`.
ARGUMENT = re.compile(r'(?<![\w.])_\("([^"]+)"\)')
TABLE = re.compile(r"{%\s*table(?:_head)?\s+(.*?)%}", re.DOTALL)
COLUMN = re.compile(r'(?:^|\s)"([^"]+)"')
# In a script: `say("…"`, and `sayCount(number, "…", "…"`.
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
SAID = re.compile(rf"\bsay\(({LITERAL})|\bsayCount\([^\"]+?, ({LITERAL}), ({LITERAL})")


@dataclass(frozen=True, order=True)
class Found:
    """A message with the file that it is in; `many` is "" if it has one form, `context` for most messages."""

    file: str
    one: str
    many: str = ""
    context: str = ""


def found() -> list[Found]:
    """All messages, in order of their files."""
    return sorted({*in_templates(), *in_python(), *in_scripts()})


def in_templates() -> Iterator[Found]:
    from django.template import engines

    for path in sorted((ROOT / "templates").rglob("*.*")):
        yield from in_template(str(path.relative_to(ROOT)), path.read_text(), engines["django"])


def in_template(file: str, source: str, engine) -> Iterator[Found]:
    """The messages of a template: its blocks, texts in arguments of tags, and the columns of its tables."""
    from core.languages.blocks import blocks_in

    for block in blocks_in(engine.from_string(source).template.nodelist):
        yield Found(file, block.message.one, block.message.many)
    for match in ARGUMENT.finditer(source):
        yield Found(file, match[1])
    # A template of a room that is not done yet has none of ours.
    for match in TABLE.finditer(source) if "{% t %}" in source else ():
        for column in COLUMN.findall(match[1]):
            if name := column.strip("#()"):
                yield Found(file, name)


def in_python() -> Iterator[Found]:
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            file, tree = str(path.relative_to(ROOT)), ast.parse(path.read_text())
            for message in calls_in(tree):
                yield Found(file, *message)
            for one, many in () if any(part in file for part in ENGLISH) else nouns_in(tree):
                yield Found(file, one, many)


def in_scripts() -> Iterator[Found]:
    for path in sorted(SCRIPTS.rglob("*.js")):
        for match in SAID.finditer(path.read_text()):
            one, many = match[1] or match[2], match[3] or '""'
            yield Found(str(path.relative_to(ROOT)), json.loads(one), json.loads(many))


def calls_in(tree: ast.AST) -> Iterator[tuple[str, ...]]:
    """The messages in calls of `say`, `say_count` and `say_in`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        texts = [each.value if isinstance(each, ast.Constant) else None for each in node.args]
        if name == "say" and texts and isinstance(texts[0], str):
            yield texts[0], ""
        elif name == "say_count" and len(texts) > 2 and isinstance(texts[1], str):
            yield texts[1], str(texts[2])
        elif name == "say_in" and len(texts) > 1 and isinstance(texts[1], str):
            yield texts[1], "", str(texts[0])


def nouns_in(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The messages in calls of `plural`, as `say_count` gets them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "plural":
            words = [str(each.value) for each in node.args[1:] if isinstance(each, ast.Constant) and each.value]
            if words:
                one, many = words if len(words) > 1 else (words[0], f"{words[0]}s")
                yield f"{{count:,}} {one}", f"{{count:,}} {many}"


def catalog_of(language: str) -> Catalog:
    """The language's catalog as it is on disk."""
    path = LOCALE / language / "LC_MESSAGES" / "django.po"
    with path.open("rb") as file:
        return read_po(file, locale=language)


def renewed(old: Catalog, messages: list[Found]) -> Catalog:
    """A catalog of the messages that there are now, with their present translations."""
    new = Catalog(
        locale=old.locale,
        project="WikiContradict Workbench",
        version="",
        copyright_holder="",
        msgid_bugs_address="",
        header_comment=f"# {old.locale.english_name} pages of WikiContradict Workbench; see docs/languages.md.",
        fuzzy=False,
        creation_date=old.creation_date,
        revision_date=old.revision_date,
        last_translator="",
        language_team="",
    )
    # A message with two forms serves where only its first is asked for, too.
    counted = {each.one: each.many for each in messages if each.many}
    for each in messages:
        many = each.many or ("" if each.context else counted.get(each.one, ""))
        before = old.get(each.one, each.context or None)
        string = (before.string if before else None) or ("" if not many else ())
        if many and isinstance(string, str):
            string = (string, string) if string else ()
        elif not many and isinstance(string, tuple | list):
            string = string[0] if string else ""
        message = (each.one, many) if many else each.one
        new.add(message, string, locations=[(each.file, 0)], context=each.context or None)
    return new


def written(catalog: Catalog) -> bytes:
    """The catalog as its file has it."""
    out = BytesIO()
    write_po(out, catalog, width=118, include_lineno=False, omit_header=False)
    return out.getvalue()


def compiled(catalog: Catalog) -> bytes:
    out = BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def script_of(language: str) -> Path:
    """The script that brings the texts of the scripts in this language."""
    return SCRIPTS / "texts" / f"{language}.js"


def as_script(catalog: Catalog, messages: list[Found]) -> bytes:
    said = sorted({each.one for each in messages if each.file.endswith(".js")})
    texts = {one: catalog.get(one).string for one in said}
    lines = json.dumps({one: text for one, text in texts.items() if text}, indent=2, ensure_ascii=False)
    head = (
        f"// {catalog.locale.english_name} texts of scripts, from the catalog. Written by `python -m docs.messages`."
    )
    return f'{head}\nimport {{ translate }} from "../text/say.js";\n\ntranslate({lines});\n'.encode()


def untranslated(catalog: Catalog) -> list[str]:
    """The messages that have no translation."""
    return [str(each.id) for each in catalog if each.id and not (each.string and all(each.string))]


def languages() -> list[str]:
    return sorted(path.name for path in LOCALE.iterdir() if (path / "LC_MESSAGES").is_dir())


def main() -> int:
    messages, lacking = found(), 0
    for language in languages():
        catalog = renewed(catalog_of(language), messages)
        folder = LOCALE / language / "LC_MESSAGES"
        (folder / "django.po").write_bytes(written(catalog))
        (folder / "django.mo").write_bytes(compiled(catalog))
        script_of(language).write_bytes(as_script(catalog, messages))
        missing = untranslated(catalog)
        lacking += len(missing)
        print(f"{language}: {len(catalog)} messages, {len(missing)} without a translation")
        for each in missing:
            print(f"  {each}")
    return int(bool(lacking))


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    sys.exit(main())
