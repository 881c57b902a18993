"""Keeps the web server and the background worker of one machine running, and takes them down with itself."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

PR_SET_PDEATHSIG = 1
# Seconds after which a stop that is not over is explained.
TELL_SECONDS = 3.0
WAITING = (
    "Waiting for {waiting} to finish work in progress, such as calls to models. Stop again to end it now: its "
    "calls would then be in doubt."
)
LONGEST_PAUSE = 30.0


def die_with_parent(parent: int) -> Callable[[], None]:
    """For `preexec_fn`: the kernel ends the child when its supervisor dies, even by `kill -9`."""

    def in_child() -> None:
        os.setsid()
        if sys.platform == "linux":
            ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:  # the supervisor died before the call above
                os._exit(1)

    return in_child


@dataclass
class Fork:
    """A child that `fork` has started: what a Child asks of its process."""

    pid: int
    returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


@dataclass
class Child:
    name: str
    command: list[str]
    # It does its work and ends, however that ends.
    is_once: bool = False
    process: subprocess.Popen | Fork | None = None
    failures: int = 0
    started_at: float = field(default=0.0)
    start_again_at: float = field(default=0.0)

    def start(self) -> None:
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(self.command, preexec_fn=die_with_parent(os.getpid()))

    def watch(self) -> None:
        """Start the child again when it has ended, after a pause that grows if it keeps ending immediately; one that
        does its work once is started once.
        """
        now = time.monotonic()
        if self.is_once and self.process is not None:
            self.process.poll()
            return
        if self.process is not None and self.process.poll() is not None:
            lived = now - self.started_at
            self.failures = 0 if lived > 60 else self.failures + 1
            pause = min(2.0**self.failures - 1, LONGEST_PAUSE)
            print(f"{self.name} ended with {self.process.returncode}; starting it again in {pause:.0f} s", flush=True)
            self.process, self.start_again_at = None, now + pause
        if self.process is None and now >= self.start_again_at:
            self.start()

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def signal(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def kill_group(self) -> None:
        """End the child and every process it has started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)


def supervise(children: list[Child], seconds: float) -> None:
    """Run until SIGINT or SIGTERM; then let the children finish their work, for at most `seconds`. A further signal
    ends them immediately.
    """
    signals = 0

    def stop(*_args: object) -> None:
        nonlocal signals
        signals += 1

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    while not signals:
        for child in children:
            child.watch()
        time.sleep(0.3)
    for child in children:
        child.signal(signal.SIGTERM)
    began, told = time.monotonic(), False
    while signals == 1 and any(child.is_alive for child in children) and time.monotonic() < began + seconds:
        time.sleep(0.1)
        if not told and time.monotonic() > began + TELL_SECONDS:
            waiting = " and ".join(child.name for child in children if child.is_alive)
            print(WAITING.format(waiting=waiting), flush=True)
            told = True
    for child in children:
        child.kill_group()


def fork(run: Callable[[], object]) -> int:
    """Start a child that runs this function with all that is loaded here, then ends; returns its process id."""
    sys.stdout.flush()
    parent = os.getpid()
    if child := os.fork():
        return child
    try:
        die_with_parent(parent)()
        run()
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 1)
    except KeyboardInterrupt:
        os._exit(130)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def become_supervisor(
    commands: dict[str, list[str]], *, running: dict[str, int], once: dict[str, list[str]], seconds: float
) -> NoReturn:
    """Turn this process into one that keeps these commands running.

    It keeps its process id but loads only this file: with all that the caller had loaded, it would take ten times the
    memory while the site runs. The caller must have closed its connections.

    Args:
        commands: program and arguments, by the name that messages give to the process.
        running: process ids of those that `fork` has started already; if one ends, its command is started.
        once: the same as `commands` of processes that do their work and end.
        seconds: the longest wait for them when they are stopped.
    """
    sys.stdout.flush()
    # -P: this folder's own celery.py must not be taken for the library.
    told = json.dumps([commands, running, once, seconds])
    os.execv(sys.executable, [sys.executable, "-P", __file__, told])  # noqa: S606


if __name__ == "__main__":
    lasting, running, once, seconds = json.loads(sys.argv[1])
    children = [Child(name, command) for name, command in lasting.items()]
    for child in children:
        if child.name in running:
            child.process, child.started_at = Fork(running[child.name]), time.monotonic()
    supervise([*children, *(Child(name, command, is_once=True) for name, command in once.items())], seconds)
