"""A page that stalls the parser is given up on in time, and nothing else suffers from it."""

import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import psutil
import pytest

from annotation.wikitext import extraction
from annotation.wikitext.extraction import extract_tags
from annotation.wikitext.tags import find_tags
from core import killable
from core.killable import GivenUp
from core.languages.kept import said

ROOT = Path(__file__).parents[3]
PAGE = "One{{Inconsistent|date=May 2020}} \ud800 word.\n\n* Two{{contradicts other|B|C}}\0"
# Each of these keeps the parser busy for minutes.
STALLS = {
    "HTML tags that never end": "<br " * 300_000 + PAGE,
    "templates in templates": "{{a|" * 30_000 + "}}" * 30_000 + PAGE,
    "links in links": PAGE + "[[a|" * 12_000 + "]]" * 12_000 + "<div " * 300_000,
}


@pytest.fixture
def own_children():
    """Children that this test alone has started, so that it can do to them what it likes."""
    extraction._readers.end_idle()
    yield
    extraction._readers.end_idle()


def children() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children():
        if "annotation.reading.child" in process.cmdline():
            found.append(process)
    return found


def waited_for(condition, seconds: float = 20) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_it_gives_what_find_tags_gives():
    assert extract_tags(PAGE) == find_tags(PAGE)
    assert extract_tags(PAGE, families={"Inconsistent": "inconsistent"}) == find_tags(PAGE)[:1]


@pytest.mark.parametrize("what", STALLS)
def test_a_page_that_stalls_is_given_up_on_in_time(what):
    begin = time.monotonic()
    with pytest.raises(GivenUp) as given_up:
        extract_tags(STALLS[what], seconds=0.5)
    assert time.monotonic() - begin < 60
    assert given_up.value.reason == "Reading it took longer than 0.5 seconds."
    assert extract_tags(PAGE) == find_tags(PAGE)


def test_a_page_without_a_tag_never_reaches_the_parser():
    assert extract_tags("<br " * 300_000, seconds=0.01) == []


def test_the_process_of_a_page_that_stalled_is_gone(own_children):
    with pytest.raises(GivenUp):
        extract_tags(STALLS["HTML tags that never end"], seconds=0.2)
    assert children() == []


def test_pages_share_a_process(own_children):
    for _ in range(20):
        extract_tags(PAGE)
    assert len(children()) == 1


def test_threads_do_not_get_in_each_other_s_way(own_children):
    results = []

    def read(number: int) -> None:
        for page in range(10):
            (tag,) = extract_tags(f"One {number}-{page}{{{{Inconsistent}}}}")
            results.append(tag.paragraph_clean == f"One {number}-{page}")

    threads = [Thread(target=read, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 60
    assert len(children()) <= 4


def test_an_idle_process_that_was_killed_is_replaced(own_children):
    extract_tags(PAGE)
    for process in children():
        process.kill()
        process.wait()
    assert extract_tags(PAGE) == find_tags(PAGE)


def test_a_page_that_needs_too_much_memory_is_given_up_on(own_children, monkeypatch):
    # A child that may have little memory: the limit is set after it has started.
    source = (
        "import resource, socket; from annotation.wikitext.extraction import packed_tags; from core import killable;"
        "killable.MEMORY = 200 * 2**20; killable.serve(socket.socket(fileno=0), {'packed_tags': packed_tags})"
    )
    popen = subprocess.Popen
    monkeypatch.setattr(
        killable.subprocess, "Popen", lambda command, **options: popen([command[0], "-c", source], **options)
    )
    with pytest.raises(GivenUp) as given_up:
        extract_tags("word " * 20_000_000 + "{{Inconsistent}}")
    assert "memory" in given_up.value.reason or "ended the process" in given_up.value.reason
    assert extract_tags(PAGE) == find_tags(PAGE)


def test_a_page_that_kills_the_process_is_given_up_on(own_children, monkeypatch):
    source = (
        "import os, socket; from core import killable;"
        "killable.serve(socket.socket(fileno=0), {'packed_tags': lambda **k: os.kill(os.getpid(), 11)})"
    )
    popen = subprocess.Popen
    monkeypatch.setattr(
        killable.subprocess, "Popen", lambda command, **options: popen([command[0], "-c", source], **options)
    )
    with pytest.raises(GivenUp, match="SIGSEGV"):
        extract_tags(PAGE)
    monkeypatch.undo()
    assert extract_tags(PAGE) == find_tags(PAGE)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RecursionError(), "Its markup is nested too deeply to be read."),
        (ValueError("a fault of ours"), "Reading it failed: ValueError: a fault of ours."),
    ],
)
def test_an_error_ends_neither_the_process_nor_the_harvest(error, reason):
    def fail(*arguments, **options):
        raise error

    assert said(killable._guarded(fail, {})["given_up"]) == reason


PARENT = """
import sys
from annotation.wikitext.extraction import extract_tags
extract_tags("One{{Inconsistent}}")
print("ready", flush=True)
extract_tags("<br " * 300_000 + "{{Inconsistent}}", seconds=600)
"""


@pytest.mark.parametrize("when", ["while the child works", "while the child is idle"])
def test_no_child_outlives_a_parent_that_was_killed(when):
    source = PARENT if when == "while the child works" else PARENT.rpartition("extract_tags")[0] + "sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", source], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        (child,) = psutil.Process(parent.pid).children()
        if when == "while the child works":
            assert waited_for(lambda: child.cpu_times().user > 0.5)
        parent.kill()
    assert waited_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_a_forked_process_has_children_of_its_own(own_children):
    extract_tags(PAGE)
    (mine,) = children()
    pid = os.fork()
    if pid == 0:
        ours = extract_tags(PAGE) == find_tags(PAGE) and mine.pid not in {child.pid for child in children()}
        extraction._readers.end_idle()
        os._exit(0 if ours else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert extract_tags(PAGE) == find_tags(PAGE)
    assert children() == [mine]


def test_an_interrupt_from_the_keyboard_is_for_the_parent_s_process_group_alone(own_children):
    extract_tags(PAGE)
    (child,) = children()
    assert os.getpgid(child.pid) != os.getpgid(0)
