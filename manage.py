#!/usr/bin/env python
import os
import signal
import sys

INTERRUPTED = 130  # as commands exit that are interrupted in their work


class Terminated(SystemExit):
    """Raised by SIGTERM outside the work of a command, which catches it itself."""


def terminate(*_: object) -> None:
    raise Terminated


def main() -> None:
    """Run a command. One that is interrupted while the program loads has changed nothing, and says so."""
    signal.signal(signal.SIGTERM, terminate)
    try:
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except (KeyboardInterrupt, Terminated):
        from django.apps import apps

        sys.stderr.write("Interrupted.\n" if apps.ready else "Interrupted. Nothing was changed.\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    main()
