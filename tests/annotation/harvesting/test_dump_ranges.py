"""A multistream dump read by workers of several machines: with the result of one reader, whatever happens to them."""

import socket
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from annotation import tasks
from annotation.harvesting.dumps import sections
from annotation.harvesting.harvests import (
    FILE_PATIENCE,
    cancel_harvest,
    join_harvest,
    resume_harvest,
    start_harvest,
)
from annotation.harvesting.steps import run_harvest
from annotation.models import Article, DumpRange, Harvest, HarvestState, Tag
from core.health.signs import give_sign
from core.models import SignKind
from tests.annotation.harvest_helpers import counters
from tests.annotation.harvesting.test_dump_damage import whole, with_page, written
from tests.annotation.harvesting.test_dump_sections import multistream, odd, sparse
from tests.annotation.harvesting.test_storing import rows_of
from tests.factories import WikiFactory

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def machines(monkeypatch):
    """Each thread is a machine with the thread's name. Sections are small."""
    monkeypatch.setattr(socket, "gethostname", lambda: threading.current_thread().name)
    monkeypatch.setattr(sections, "SECTION", 500)


def requested(path, **values) -> Harvest:
    return start_harvest(source="dump", wiki=WikiFactory(), parameters={"path": str(path), **values})


def readers_of(harvest: Harvest) -> set[str]:
    return {row.machine for row in DumpRange.objects.filter(harvest=harvest)}


def lapse(harvest: Harvest) -> None:
    """As seen from outside when all workers die: no lease is renewed."""
    past = timezone.now() - timedelta(seconds=1)
    harvest.ranges.update(lease_expires_at=past)
    Harvest.objects.filter(pk=harvest.pk).update(lease_expires_at=past)


class Second(threading.Thread):
    """The worker of a second machine. It joins while the first one is in the middle of the ranges."""

    def __init__(self, harvest: Harvest):
        super().__init__(name="second")
        self.harvest, self.stored = harvest, 0
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            run_harvest(self.harvest.pk, processes=2, on_step=self.count)
        except Exception as error:
            self.error = error
        finally:
            connection.close()

    def count(self, harvest: Harvest) -> None:
        self.stored += 1

    def when_first_stores(self, harvest: Harvest) -> None:
        if self.ident is None and readers_of(harvest):
            self.start()
            until = time.monotonic() + PATIENCE
            while "second" not in readers_of(harvest) and self.is_alive() and time.monotonic() < until:
                time.sleep(0.02)


def told(harvest: Harvest) -> tuple:
    """Everything that a harvest left: counts, problems, message, and all rows in the order of their keys."""
    harvest.refresh_from_db()
    problems = list(harvest.problems.values_list("title", "reason"))
    order = list(Tag.objects.filter(harvest=harvest).order_by("pk").values_list("article__title", "raw"))
    stored = rows_of(Article.objects.filter(wiki=harvest.wiki))
    return harvest.state, harvest.error, counters(harvest), problems, order, stored


def by_one_reader(path) -> tuple:
    harvest = requested(path)
    run_harvest(harvest.pk, processes=1)
    return told(harvest)


def twice(text: str) -> str:
    """The dump with a page again in another section, where its tag is gone."""
    again = text[text.index("<page>") : text.index("</page>") + len("</page>\n")]
    end = text.rindex("</mediawiki>")
    return text[:end] + again.replace("{{Inconsistent|date=May 2024}}", "") + text[end:]


def damaged(content: bytes) -> bytes:
    at = len(content) * 6 // 10
    return content[:at] + bytes(byte ^ 0xFF for byte in content[at : at + 40]) + content[at + 40 :]


@pytest.mark.parametrize(
    "content",
    [
        multistream(odd(300)),
        multistream(twice(whole(300))),
        multistream(with_page("It opened", "It & opened", number=150, text=sparse(300))),
        damaged(multistream(sparse(300))),
        multistream(sparse(300))[:-700],
    ],
    ids=["whole", "a page twice", "damaged XML", "damaged stream", "cut"],
)
def test_two_machines_at_once_give_the_result_of_one_reader(content, tmp_path):
    path = written(tmp_path, content)
    harvest = requested(path)
    second = Second(harvest)
    run_harvest(harvest.pk, processes=2, on_step=second.when_first_stores)
    second.join()
    assert second.error is None
    assert second.stored
    assert told(harvest) == by_one_reader(path)
    assert not DumpRange.objects.exists()


def test_a_worker_of_another_machine_continues_where_one_died(tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    def die(harvest):
        if readers_of(harvest):
            raise Killed

    path = written(tmp_path, multistream(whole(300)))
    harvest = requested(path)
    monkeypatch.setattr("annotation.harvesting.harvests.HarvestHold.hand_back", lambda hold: None)
    with pytest.raises(Killed):
        run_harvest(harvest.pk, processes=2, on_step=die)
    assert readers_of(harvest) == {"MainThread"}
    second = Second(harvest)
    second.when_first_stores(harvest)
    assert readers_of(harvest) == {"MainThread", "second"}
    assert not second.stored, "it waits for its turn"
    lapse(harvest)
    second.join()
    assert second.error is None
    assert told(harvest) == by_one_reader(path)


def test_a_range_that_was_left_is_read_by_the_other_worker(tmp_path):
    """The first worker freezes; the second one, which waits for its turn, takes the ranges over."""
    path = written(tmp_path, multistream(whole(300)))
    harvest = requested(path)
    second = Second(harvest)
    seen_last = []

    def freeze(harvest):
        if second.ident is None and readers_of(harvest):
            second.when_first_stores(harvest)
            past = timezone.now() - timedelta(seconds=1)
            harvest.ranges.filter(holder__startswith="MainThread ").update(lease_expires_at=past)
            second.join()
            seen_last.append(Harvest.objects.get(pk=harvest.pk).articles_seen)

    run_harvest(harvest.pk, processes=2, on_step=freeze)
    assert seen_last == [300]
    assert told(harvest) == by_one_reader(path)


def test_cancel_ends_all_workers_and_resume_begins_at_the_checkpoint(tmp_path, admin):
    harvest = requested(written(tmp_path, multistream(whole(300))))

    def cancel(harvest):
        if readers_of(harvest):
            cancel_harvest(harvest=harvest, by=admin)

    run_harvest(harvest.pk, processes=2, on_step=cancel)
    harvest.refresh_from_db()
    assert harvest.state == HarvestState.CANCELLED
    assert 0 < harvest.articles_seen < 300
    assert not DumpRange.objects.exists()


def test_a_failed_harvest_is_resumed_from_its_checkpoint(tmp_path):
    path = written(tmp_path, multistream(whole(300)))
    harvest = requested(path)

    def fail(harvest):
        if readers_of(harvest):
            raise OSError("The disk is gone.")

    run_harvest(harvest.pk, processes=2, on_step=fail)
    harvest.refresh_from_db()
    assert (harvest.state, harvest.error) == (HarvestState.FAILED, "The disk is gone.")
    assert not DumpRange.objects.exists()
    resume_harvest(harvest=harvest, by=None)
    run_harvest(harvest.pk, processes=2)
    assert told(harvest) == by_one_reader(path)


def in_the_middle(tmp_path, **values) -> Harvest:
    """A harvest that another machine is reading."""
    path = written(tmp_path, multistream(whole(20)))
    harvest = requested(path, **values)
    later = timezone.now() + timedelta(seconds=60)
    cursor = {"size": path.stat().st_size}
    Harvest.objects.filter(pk=harvest.pk).update(state="running", lease_expires_at=later, cursor=cursor)
    DumpRange.objects.create(harvest=harvest, begin=10, end=20, holder="other 1f", lease_expires_at=later)
    return harvest


def test_a_machine_joins_once_with_an_equal_file(tmp_path):
    harvest = in_the_middle(tmp_path)
    assert join_harvest(harvest.pk) == harvest
    mine = DumpRange.objects.create(
        harvest=harvest, begin=20, end=30, holder="MainThread 2e", lease_expires_at=timezone.now()
    )
    assert join_harvest(harvest.pk) is None
    mine.delete()
    path = harvest.parameters["path"]
    with open(path, "ab") as file:
        file.write(b" ")
    assert join_harvest(harvest.pk) is None
    (tmp_path / path).unlink()
    assert join_harvest(harvest.pk) is None


def test_a_machine_without_the_file_leaves_a_harvest_to_another_that_has_it(tmp_path):
    """As for an upload, which lies on the machine of one web server."""
    path = written(tmp_path, multistream(whole(20)))
    harvest = requested(path)
    away = path.rename(tmp_path / "away")
    give_sign(SignKind.WORKER, "another:7")
    assert run_harvest(harvest.pk) is None
    harvest.refresh_from_db()
    assert harvest.state == HarvestState.WAITING
    away.rename(path)
    run_harvest(harvest.pk)
    harvest.refresh_from_db()
    assert harvest.state == HarvestState.DONE


def test_a_machine_without_the_file_leaves_it_for_a_while_when_its_worker_died(tmp_path):
    harvest = in_the_middle(tmp_path)
    Path(harvest.parameters["path"]).unlink()
    lapse(harvest)
    assert run_harvest(harvest.pk) is None
    harvest.refresh_from_db()
    assert harvest.state == HarvestState.RUNNING
    Harvest.objects.update(lease_expires_at=timezone.now() - FILE_PATIENCE)
    run_harvest(harvest.pk)
    harvest.refresh_from_db()
    assert harvest.state == HarvestState.FAILED
    assert harvest.can_resume
    assert "No such file" in harvest.error


def test_the_only_machine_says_at_once_that_the_file_is_gone(tmp_path, admin):
    path = written(tmp_path, multistream(whole(20)))
    harvest = requested(path)
    path.unlink()
    give_sign(SignKind.WORKER, "MainThread:7")
    run_harvest(harvest.pk)
    harvest.refresh_from_db()
    assert harvest.state == HarvestState.FAILED
    # After a while of rest, a resumed one is left to others again.
    Harvest.objects.update(requested_at=timezone.now() - FILE_PATIENCE * 2)
    give_sign(SignKind.WORKER, "another:7")
    resume_harvest(harvest=harvest, by=admin)
    assert run_harvest(harvest.pk) is None
    harvest.refresh_from_db()
    assert harvest.state == HarvestState.WAITING


def test_nobody_joins_one_that_counts_its_articles_or_is_read_to_its_end(tmp_path):
    assert join_harvest(in_the_middle(tmp_path, most=5).pk) is None
    harvest = in_the_middle(tmp_path)
    DumpRange.objects.create(harvest=harvest, begin=20, end=None, holder="other", lease_expires_at=timezone.now())
    assert join_harvest(harvest.pk) is None


def test_the_clock_wakes_another_machine(tmp_path, monkeypatch):
    harvest, woken = in_the_middle(tmp_path), []
    monkeypatch.setattr(tasks, "wake_now", lambda task, number, expires: woken.append(number))
    tasks.wake_harvests()
    assert woken == [harvest.pk]


def test_the_page_names_the_machines(tmp_path, amir):
    harvest = in_the_middle(tmp_path)
    address = reverse("harvest", args=[harvest.pk])
    assert "machines" not in amir.get(address).text
    lease = {"lease_expires_at": timezone.now() + timedelta(seconds=60)}
    DumpRange.objects.create(harvest=harvest, begin=20, end=30, holder="another 2e", **lease)
    assert "Read by 2 machines: another, other." in amir.get(address).text


def test_a_range_is_claimed_once_and_has_a_length(tmp_path):
    harvest = in_the_middle(tmp_path)
    values = {"harvest": harvest, "holder": "x", "lease_expires_at": timezone.now()}
    for begin, end in ((10, 30), (30, 30)):
        with pytest.raises(IntegrityError), transaction.atomic():
            DumpRange.objects.create(begin=begin, end=end, **values)
