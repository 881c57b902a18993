"""Common parts of the project's commands: exit codes, reading and writing files, progress."""

import _thread
import argparse
import os
import re
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser, DjangoHelpFormatter
from django.db import DatabaseError, connection, transaction

from ..refusals import Refusal
from ..schema.checking import check_for_command
from ..writing.progress import heard_by
from .skipping import Skipped
from .telling import Telling, ToldReading
from .writing import write_output


class Exit(IntEnum):
    """A command's exit code, for scripts."""

    DONE = 0
    REFUSED = 1
    WRONG_USAGE = 2
    PARTLY = 3
    INTERRUPTED = 130


EXITS = {
    Exit.DONE: "done",
    Exit.REFUSED: "refused or failed, and nothing was changed",
    Exit.WRONG_USAGE: "wrong usage: an option is missing or unknown",
    Exit.PARTLY: "partly done: finished work is kept, and the message says how to continue",
    Exit.INTERRUPTED: "interrupted with Ctrl+C or SIGTERM: the message says what is kept",
}
# Seconds after which a lost interruption is repeated.
INTERRUPT_AGAIN = 0.05
EXIT_CODES = f"Exit codes: {'; '.join(f'{code} {words}' for code, words in EXITS.items())}."

NO_TABLES = (
    "The database is empty: nothing has been set up here yet. Start the program once with `make run`, or run "
    "`manage.py migrate`. Nothing was changed."
)


class Help(DjangoHelpFormatter):
    """Help text that keeps its paragraphs and examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = (paragraph.strip("\n") for paragraph in re.split(r"\n\s*\n", text))
        return "\n\n".join(
            paragraph if paragraph.startswith("manage.py") else super(Help, self)._fill_text(paragraph, width, indent)
            for paragraph in paragraphs
        )


class RuleCommand(BaseCommand):
    """A command that fails with the message of any Refusal. While it works, the progress that rules report through
    `along` is shown on the standard error. Ctrl+C ends it with `interrupted`, which says what is kept and what to do;
    it ends quietly when the reader of its output stops reading (`| head`).
    """

    interrupted = "Nothing was changed."
    # Whether it is refused while the database does not fit the program.
    needs_fitting_database = True
    telling: Telling
    # Django's own, which do not help here.
    suppressed_base_arguments: set[str] = {
        "--version",
        "--verbosity",
        "--settings",
        "--pythonpath",
        "--no-color",
        "--force-color",
    }

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: object) -> CommandParser:
        kwargs = {"formatter_class": Help, "epilog": EXIT_CODES} | kwargs
        return super().create_parser(prog_name, subcommand, **kwargs)

    def execute(self, *args: Any, **options: Any) -> str | None:
        # The stream behind Django's wrapper, which would put each piece on a line of its own, in red.
        errors = options.get("stderr") or self.stderr
        self.telling = Telling(cast(TextIO, getattr(errors, "_out", errors)))
        try:
            if self.needs_fitting_database:
                check_for_command()
            with heard_by(self.telling.tell), interrupted_by_sigterm():
                output = super().execute(*args, **options)
            self.stdout.flush()
            return output
        except Refusal as refusal:
            raise CommandError(refusal.message, returncode=Exit.REFUSED) from refusal
        except DatabaseError as error:
            if connection.introspection.table_names():
                raise
            raise CommandError(NO_TABLES, returncode=Exit.REFUSED) from error
        except KeyboardInterrupt:
            raise CommandError(f"Interrupted. {self.interrupted}", returncode=Exit.INTERRUPTED) from None
        except BrokenPipeError:
            # The rest of Python's buffer must not fail again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return None
        finally:
            self.telling.close()


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Have SIGTERM, by which systemd and containers stop a program, interrupt the work inside like Ctrl+C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    hook_before, sys.unraisablehook = sys.unraisablehook, _interrupt_again
    try:
        yield
    finally:
        sys.unraisablehook = hook_before
        signal.signal(signal.SIGTERM, before)


def _interrupt_again(unraisable: Any) -> None:
    """Interrupt again in a moment: Python ignores what is raised while it deletes an object, Ctrl+C as well."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        again = threading.Timer(INTERRUPT_AGAIN, _thread.interrupt_main, [signal.SIGTERM])
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


def wrong_usage(message: str) -> CommandError:
    """Raised for options that exclude each other, which the parser cannot know."""
    return CommandError(f"{message} Nothing was changed.", returncode=Exit.WRONG_USAGE)


def partly_done(message: str) -> CommandError:
    """Raised by commands that stopped early: finished work is kept."""
    return CommandError(message, returncode=Exit.PARTLY)


def add_dry_run(parser: argparse.ArgumentParser, what: str = "show the planned changes without making them") -> None:
    parser.add_argument("--dry-run", action="store_true", help=what)


@contextmanager
def perhaps_undone(dry_run: bool) -> Iterator[None]:
    """Undo the changes inside for a dry run, so that its output is exact. For changes of a few rows: they stay locked
    meanwhile.
    """
    if not dry_run:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def add_revision(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--revision",
        default="",
        metavar="TEXT",
        help="the revision of the file, such as a commit or a version; kept with its name and SHA-256 for datasheets",
    )


def add_licence(
    parser: argparse.ArgumentParser, what: str = "the licence of the texts, for datasheets and exports"
) -> None:
    parser.add_argument("--licence", default="", metavar="TEXT", help=what)


def add_origin(parser: argparse.ArgumentParser) -> None:
    """The options for the origin of a file of responses."""
    add_revision(parser)
    add_licence(parser, "the licence of the responses, for the log of their run")


class ExportCommand(RuleCommand):
    """A command whose `chunks` are written to a file."""

    interrupted = "No file was written. An existing file is unchanged."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--output", default="-", metavar="FILE", help="where to write; - (the default) means standard output"
        )

    def chunks(self, **options: object) -> Iterable[str]:
        raise NotImplementedError

    def handle(self, *, output: object, **options: object) -> None:
        pieces = self.chunks(output=output, **options)
        # A bar would stand between the lines.
        if str(output) != "-" or not self.stdout.isatty():
            pieces = self.telling.written(pieces)
        write_output(str(output), pieces, standard_output=cast(TextIO, self.stdout._out))
        if str(output) != "-":
            self.telling.line(f"The export is in {output}.")


class ImportCommand(RuleCommand):
    """A command whose `read` returns a result with `lines()`. It fails if `read` raises Refusal or the result lists
    bad rows; nothing is written then. With --skip-bad, `read` gets a `Skipped` for the bad records.
    """

    file_help = "the file"
    interrupted = "Either nothing or everything was written. Import the same file again: existing rows do not change."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help=f"{self.file_help}; - is the standard input")
        parser.add_argument(
            "--dry-run",
            "--check",
            action="store_true",
            dest="check_only",
            help="show what would be imported and which records have problems; write nothing",
        )
        parser.add_argument(
            "--skip-bad",
            metavar="FILE",
            dest="skip_bad",
            help="import the good records and write the bad ones to FILE: each line is a JSON object with the "
            "record's location, its problem, and the record",
        )

    def read(
        self, stream: BinaryIO, *, file: Path, check_only: bool, skipped: Skipped | None, **options: object
    ) -> Any:
        raise NotImplementedError

    def handle(self, *, file: Path, check_only: bool, skip_bad: str | None, **options: object) -> None:
        name = Path("standard input") if str(file) == "-" else file
        skipped = None if skip_bad is None else Skipped(skip_bad, standard_output=cast(TextIO, self.stdout._out))
        try:
            with opened(file) as stream:
                told = cast(BinaryIO, ToldReading(stream, size_of(stream), self.telling))
                result = self.read(told, file=name, check_only=check_only, skipped=skipped, **options)
        except OSError as error:
            raise CommandError(f"{name} cannot be read: {error.strerror}. Nothing was written.") from error
        except Refusal as refusal:
            raise CommandError(f"{name}: {refusal.message}") from refusal
        self.telling.close()
        if check_only and not getattr(result, "is_check", False):  # such a result says so itself
            self.stdout.write("Validated only: nothing was written. An import would report:")
        for line in result.lines():
            self.stdout.write(line)
        if skipped is not None:
            self.stdout.write(str(skipped))
        if getattr(result, "bad", None):
            raise CommandError("Nothing was written.")


@contextmanager
def opened(file: Path) -> Iterator[BinaryIO]:
    """The file, or the standard input for "-". Raises OSError."""
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    with file.open("rb") as stream:
        yield stream


def size_of(stream: BinaryIO) -> int | None:
    """The number of bytes to read; None if it is unknown, as with a pipe."""
    try:
        return os.fstat(stream.fileno()).st_size or None
    except (OSError, ValueError):
        return None
