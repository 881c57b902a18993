"""Writes docs/commands.md: every command with its options, as its help has them. `python -m docs.commands`."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

import django
from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandParser

PAGE = Path(__file__).parent / "commands.md"
APPS = (
    "core",
    "annotation",
    "judging",
    "review",
    "benchmarks.wikicontradict",
    "benchmarks.contradoc",
    "benchmarks.conflictbank",
)
OF_DJANGO = {"help", "traceback", "skip_checks"}
HEAD = """# Commands

This page shows what `.venv/bin/python manage.py COMMAND --help` says; `python -m docs.commands` writes it.

On a terminal a long command shows a bar; in a log it writes a plain line every ten seconds. Both go to the
standard error, results to the standard output. `-` is the standard input or output. `--dry-run` says what would be
done and changes nothing. All commands accept `--traceback`, which shows where in the program an error arose.

| exit code | |
|---|---|
{exits}
"""


def page() -> str:
    """The whole page."""
    from core.files.commands import EXITS  # needs Django's settings

    exits = "\n".join(f"| {code:d} | {words} |" for code, words in EXITS.items())
    names = sorted(name for name, app in get_commands().items() if app in APPS)
    return HEAD.format(exits=exits) + "".join(f"\n{part}\n" for name in names for part in about(name))


def about(name: str) -> Iterator[str]:
    command = load_command_class(get_commands()[name], name)
    parser = command.create_parser("manage.py", name)
    yield f"## {name}"
    for paragraph in (parser.description or "").strip().split("\n\n"):
        is_example = paragraph.startswith("manage.py")
        yield f"```bash\n{paragraph}\n```" if is_example else "\n".join(wrap(escaped(paragraph), 140))
    yield f"`{usage(parser, name)}`"
    if rows := [row(action) for action in options(parser)]:
        yield "\n".join(["| option | |", "|---|---|", *rows])


def usage(parser: CommandParser, name: str) -> str:
    """The command with what it cannot do without."""
    needed = [action for action in options(parser) if action.required or not action.option_strings]
    return " ".join(["manage.py", name, *(written(action) for action in needed)])


def options(parser: CommandParser) -> list[argparse.Action]:
    shown = [each for each in parser._actions if each.help != argparse.SUPPRESS and each.dest not in OF_DJANGO]
    return sorted(shown, key=lambda action: bool(action.option_strings))


def row(action: argparse.Action) -> str:
    said = (action.help or "") % {"default": action.default}
    choices = f" One of {', '.join(f'`{each}`' for each in action.choices)}." if action.choices else ""
    return f"| `{written(action)}` | {escaped(said)}{'.' if choices and said else ''}{choices} |"


def written(action: argparse.Action) -> str:
    """The option as it is typed."""
    value = action.metavar or ("" if action.nargs == 0 else action.dest.upper())
    value = {"+": f"{value} ...", "*": f"[{value} ...]", "?": f"[{value}]"}.get(str(action.nargs), str(value))
    return " ".join(filter(None, [", ".join(action.option_strings), value if action.nargs != 0 else ""]))


def escaped(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    is_written = PAGE.exists() and PAGE.read_text() == page()
    PAGE.write_text(page())
    sys.stdout.write(f"{PAGE.name} {'is as it was' if is_written else 'was written'}.\n")
