"""Have all workers take no new calls to models, wait for those in flight, and say what is left.

Calls stay stopped, after a restart too, until --undo. Do this before you stop a worker, for an update or for good.
"""

import time

from django.core.management.base import CommandError, CommandParser

from ...files.commands import RuleCommand, add_dry_run, partly_done
from ...keeping.draining import left
from ...keeping.sending import resume_calls, stop_calls

LOOK_AGAIN, TELL_AGAIN = 0.5, 10.0


class Command(RuleCommand):
    help = __doc__
    interrupted = "New calls stay stopped; --undo allows them again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--undo", action="store_true", help="let workers take calls again")
        parser.add_argument(
            "--timeout", type=float, default=900.0, metavar="SECONDS", help="the longest wait (%(default)g)"
        )
        add_dry_run(parser, "say what is in progress, and change nothing")

    def handle(self, *, undo: bool, timeout: float, dry_run: bool, **options) -> None:
        if dry_run:
            self.say_what_is_left()
        elif undo:
            is_new = resume_calls(admin=None)
            self.stdout.write("Workers take calls again." if is_new else "Calls were not stopped.")
        else:
            self.drain(timeout)

    def say_what_is_left(self) -> None:
        self.stdout.write(f"In progress: {', '.join(left()) or 'nothing'}. Nothing was changed.")

    def drain(self, timeout: float) -> None:
        """Stop new calls and wait. Raises CommandError if something is left after `timeout` seconds."""
        is_new = stop_calls(admin=None)
        self.stdout.write("No new calls are taken." if is_new else "New calls were stopped already.")
        until, told, words = time.monotonic() + timeout, 0.0, ""
        # A worker may take calls for as long as it uses an earlier answer.
        time.sleep(2 * LOOK_AGAIN)
        while waiting := ", ".join(left()):
            now = time.monotonic()
            if now > until:
                raise self.too_late(waiting)
            if (waiting != words and now - told > LOOK_AGAIN) or now - told > TELL_AGAIN:
                self.stdout.write(f"Waiting for {waiting}.")
                self.stdout.flush()
                told, words = now, waiting
            time.sleep(LOOK_AGAIN)
        self.stdout.write("Nothing is in progress: workers can be stopped. `manage.py drain --undo` goes on.")

    def too_late(self, waiting: str) -> CommandError:
        return partly_done(f"Still in progress: {waiting}. New calls stay stopped; run this again to wait longer.")
