"""Start the web server and the background worker on this machine, and keep them running."""

import logging
import os
import socket
import sys

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import connections
from django.urls import reverse

from config.supervisor import become_supervisor, fork

from ...accounts.sample_people import DEMO_PASSWORD, demo_people
from ...files.commands import Exit, RuleCommand
from ...outside import whole_number

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def port_number(written: str) -> int:
    """The port number in `written`. Raises CommandError if it is not a port that a server can listen on."""
    number = whole_number(str(written), most=65_535)
    if not number:
        raise CommandError(
            f"“{written}” is not a port: give a number from 1 to 65535, as in make run PORT=8001",
            returncode=Exit.WRONG_USAGE,
        )
    return number


def refuse_a_taken_port(host: str, port: int) -> None:
    """Raise CommandError if another program is listening on this port: nobody should land on its pages."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host} port {port}: {error.strerror}. Choose another: make run PORT=8001"
            ) from error


def serve(arguments: list[str]) -> None:
    """Be gunicorn in this process, with these arguments, until it is stopped."""
    from gunicorn.app.wsgiapp import run

    sys.argv = ["gunicorn", *arguments]
    run()


class Command(RuleCommand):
    help = __doc__
    interrupted = "Everything has stopped. Everything that was saved is kept."
    requires_system_checks: list[str] = []  # as for `prepare`

    def add_arguments(self, parser: CommandParser) -> None:
        host, port = os.environ.get("HOST", "127.0.0.1"), os.environ.get("PORT") or "8000"
        parser.add_argument("--host", default=host, help="the address to listen on ($HOST, else 127.0.0.1)")
        parser.add_argument("--port", default=port, help="the port to listen on ($PORT, else 8000)")
        parser.add_argument(
            "--threads", type=int, default=8, metavar="N", help="threads of the web server (%(default)s)"
        )
        parser.add_argument(
            "--finish-samples", action="store_true", help="finish the sample work of a first start in the background"
        )

    def handle(self, *, host: str, port: str, threads: int, finish_samples: bool = False, **options) -> None:
        number = port_number(port)
        is_exposed = host not in LOOPBACK or not settings.SITE_IS_LOCAL
        exposed = [user.username for user in demo_people()] if is_exposed else []
        if exposed:
            raise CommandError(
                f"The accounts {', '.join(exposed)} still have the printed password, so the site is for this machine "
                "only. Start it without HOST, HTTPS and ALLOWED_HOSTS, change their passwords or close the accounts "
                "on the People page, then start again."
            )
        refuse_a_taken_port(host, number)
        self.greet(host, number)
        python = [sys.executable, "-m"]
        web = ["config.wsgi", "--bind", f"{host}:{number}", "--worker-class", "gthread"]
        # Browsers keep a connection open for about a minute: if the server closed it earlier, a save could hit a
        # closed one.
        web += ["--threads", str(threads), "--keep-alive", "75", "--timeout", "120", "--log-level", "warning"]
        worker = [*python, "celery", "--quiet", "-A", "config", "worker", "--beat"]
        worker += ["--pool", "threads", "--concurrency", "4"]
        worker += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        if "LOG_LEVEL" not in os.environ:
            # The address above is not to be lost among a line for each request. This process has read its settings.
            os.environ["LOG_LEVEL"] = "WARNING"
            logging.disable(logging.INFO)
        connections.close_all()
        # The program is loaded here: the first web server does without loading it again, half of a start's time.
        running = {"the web server": fork(lambda: serve(web))}
        once = {"the samples": [sys.executable, "manage.py", "prepare"]} if finish_samples else {}
        commands = {"the web server": [*python, "gunicorn", *web], "the worker": worker}
        become_supervisor(commands, running=running, once=once, seconds=settings.STOP_SECONDS)

    def greet(self, host: str, port: int) -> None:
        self.stdout.write(f"\n  WikiContradict Workbench: http://{host}:{port}/\n\n")
        people = demo_people()
        if people:
            self.stdout.write(f"  Try each role with one click: http://{host}:{port}{reverse('sample_roles')}\n\n")
            self.stdout.write(f"  Or sign in with one of these names and the password {DEMO_PASSWORD}:\n")
            for user in people:
                self.stdout.write(f"    {user.username:<14}{', '.join(sorted(user.roles))}\n")
            self.stdout.write("\n")
        folder = os.path.relpath(settings.VAR_DIR)
        self.stdout.write(
            f"  Stop with Ctrl+C. All data is in {folder}/; the next `make run` continues from here.\n\n"
        )
        self.stdout.flush()
