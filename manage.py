#!/usr/bin/env python
import os
import signal
import sys

INTERRUPTED = 130  # as commands exit that are interrupted in their work


def end(*_: object) -> None:
    """End the process at once: an exception could be lost in a module that is being loaded. Commands catch signals
    themselves while they work, so one that is still loading has changed nothing.
    """
    apps = getattr(sys.modules.get("django.apps"), "apps", None)
    loads = not (apps and apps.ready)
    os.write(2, b"Interrupted. Nothing was changed.\n" if loads else b"Interrupted.\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    signal.signal(signal.SIGTERM, end)
    try:
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        end()
