"""The worker of a harvest: claimed once, taken over when its worker is gone, cancelled, stopped in a loop."""

import threading
import time
from datetime import timedelta

import pytest
from celery.signals import worker_init
from django.db import close_old_connections, connection
from django.utils import timezone

from annotation import tasks
from annotation.harvesting import steps
from annotation.harvesting.harvests import (
    LEASE,
    MOST_TRIES,
    cancel_harvest,
    claim_harvest,
    harvests_to_take_up,
    resume_harvest,
    start_harvest,
)
from annotation.harvesting.progress import Progress
from annotation.harvesting.steps import HarvestHold, run_harvest
from annotation.models import Harvest, HarvestState, Tag
from core.models import Event
from core.refusals import Refusal
from core.writing.leases import LeaseLost
from tests.annotation.harvesting.test_dump_damage import whole, written
from tests.factories import WikiFactory

BRIDGE = "It opened in 1903.{{Inconsistent}} It closed in 1899."


@pytest.fixture
def waiting(wiki_row, fake_wiki) -> Harvest:
    fake_wiki.batch = 2
    for number in range(6):
        fake_wiki.edit(f"Bridge {number}", BRIDGE)
    return start_harvest(source="template", wiki=wiki_row, parameters={})


def claimed(harvest: Harvest) -> HarvestHold:
    held = claim_harvest(harvest.pk)
    assert held
    return HarvestHold(held)


def worker_dies(harvest: Harvest) -> None:
    """As seen from outside: the lease is no longer renewed."""
    Harvest.objects.filter(pk=harvest.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def test_is_claimed_once(waiting):
    assert claim_harvest(waiting.pk)
    assert claim_harvest(waiting.pk) is None
    assert run_harvest(waiting.pk) is None


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_get_it_once(waiting):
    got = []
    start = threading.Barrier(4)

    def claim():
        start.wait()
        got.append(claim_harvest(waiting.pk))
        connection.close()

    threads = [threading.Thread(target=claim) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    close_old_connections()
    assert sum(harvest is not None for harvest in got) == 1


def test_goes_on_after_the_last_step_when_its_worker_died(waiting, fake_wiki, monkeypatch):
    class Killed(BaseException):
        pass

    def die_at_the_second_step(harvest):
        if harvest.articles_seen == 4:
            raise Killed

    with pytest.raises(Killed):
        run_harvest(waiting.pk, on_step=die_at_the_second_step)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.articles_seen) == (HarvestState.RUNNING, 4)
    assert run_harvest(waiting.pk) is None  # its lease holds still
    worker_dies(waiting)
    fake_wiki.asked.clear()
    tasks.wake_harvests()
    waiting.refresh_from_db()
    assert (waiting.state, waiting.articles_seen, waiting.tags_new) == (HarvestState.DONE, 6, 6)
    assert Tag.objects.count() == 6
    assert "names" not in dict(fake_wiki.asked), "the checkpoint was kept, so nothing is asked again"


def test_a_step_is_stored_whole_or_not_at_all(waiting, monkeypatch):
    """It dies within a step, after articles and tags, before the checkpoint."""

    class Killed(BaseException):
        pass

    def die(*args):
        raise Killed

    monkeypatch.setattr(steps, "_count", die)
    with pytest.raises(Killed):
        run_harvest(waiting.pk)
    assert not Tag.objects.exists()
    monkeypatch.undo()


def test_a_worker_that_was_thought_dead_stores_nothing_more(waiting):
    hold = claimed(waiting)
    worker_dies(waiting)
    assert claim_harvest(waiting.pk)
    with pytest.raises(LeaseLost):
        hold.renew()


def test_a_pause_keeps_the_hold_and_ends_with_a_cancel(waiting, admin, monkeypatch):
    hold = claimed(waiting)
    first = hold.leases[-1]
    hold.pause(0.01)
    assert hold.leases[-1] > first
    cancel_harvest(harvest=waiting, by=admin)
    with pytest.raises(LeaseLost):
        hold.pause(0.01)


def test_cancel_stops_the_worker_and_keeps_what_is_stored(waiting, admin):
    def cancel(harvest):
        cancel_harvest(harvest=harvest, by=admin)

    run_harvest(waiting.pk, on_step=cancel)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.articles_seen) == (HarvestState.CANCELLED, 2)
    assert Tag.objects.count() == 2
    assert list(Event.objects.about(waiting))[-1].actor == admin
    with pytest.raises(Refusal):
        cancel_harvest(harvest=waiting, by=admin)
    with pytest.raises(Refusal):
        resume_harvest(harvest=waiting, by=admin)


def test_a_step_at_which_workers_die_is_not_tried_again(waiting):
    for _ in range(MOST_TRIES):
        assert claim_harvest(waiting.pk)
        worker_dies(waiting)
    assert claim_harvest(waiting.pk) is None
    waiting.refresh_from_db()
    assert waiting.state == HarvestState.FAILED
    assert "same step" in waiting.error
    resume_harvest(harvest=waiting, by=None)
    assert claim_harvest(waiting.pk)


def test_a_wiki_is_asked_by_one_harvest_at_a_time(waiting, wiki_row):
    second = start_harvest(source="titles", wiki=wiki_row, parameters={"titles": ["Bridge 1"]})
    elsewhere = start_harvest(source="titles", wiki=WikiFactory(), parameters={"titles": ["Bridge 1"]})
    assert claim_harvest(waiting.pk)
    assert claim_harvest(second.pk) is None
    assert claim_harvest(elsewhere.pk)
    worker_dies(waiting)
    assert claim_harvest(second.pk)


def test_the_end_of_one_wakes_the_next(waiting, wiki_row):
    second = start_harvest(source="titles", wiki=wiki_row, parameters={"titles": ["Bridge 1"]})
    tasks.run_harvest.delay(waiting.pk)
    second.refresh_from_db()
    assert second.state == HarvestState.DONE


def test_the_clock_finds_those_that_wait_and_those_that_were_left(waiting, wiki_row):
    assert list(harvests_to_take_up()) == [waiting]
    claim_harvest(waiting.pk)
    assert not harvests_to_take_up().exists()
    assert list(harvests_to_take_up(at=timezone.now() + LEASE + timedelta(seconds=1))) == [waiting]


def test_running_a_harvest_that_is_over_does_nothing(waiting, fake_wiki):
    run_harvest(waiting.pk)
    fake_wiki.asked.clear()
    assert run_harvest(waiting.pk) is None
    assert run_harvest(10**9) is None
    assert not fake_wiki.asked


class Worker:
    """A worker that starts, as Celery announces it."""

    concurrency = 4


@pytest.mark.django_db(transaction=True)
def test_harvests_leave_half_of_a_workers_threads_to_calls_and_all_else(wiki_row, tmp_path, monkeypatch):
    """Four harvests of hours would else take all four threads, and calls to models would wait for them."""
    path = written(tmp_path, whole(3))
    harvests = [start_harvest(source="dump", wiki=wiki_row, parameters={"path": str(path)}) for _ in range(3)]
    go_on, woken = threading.Event(), []

    def wait(harvest_id):
        assert claim_harvest(harvest_id)
        go_on.wait(30)
        connection.close()
        return True

    monkeypatch.setattr(steps, "run_harvest", wait)
    monkeypatch.setattr(tasks, "wake_now", lambda task, number, expires: woken.append(number))
    worker_init.send(sender=Worker())
    threads = [threading.Thread(target=tasks.run_harvest, args=[harvest.pk]) for harvest in harvests]
    for thread in threads[:2]:
        thread.start()
    until = time.monotonic() + 30
    while Harvest.objects.filter(state=HarvestState.RUNNING).count() < 2 and time.monotonic() < until:
        time.sleep(0.02)
    threads[2].start()
    threads[2].join(5)
    assert not threads[2].is_alive()
    assert Harvest.objects.get(pk=harvests[2].pk).state == HarvestState.WAITING
    go_on.set()
    for thread in threads[:2]:
        thread.join()
    assert harvests[2].pk in woken, "whoever ends lets the next one begin"
    tasks.run_harvest(harvests[2].pk)
    assert Harvest.objects.get(pk=harvests[2].pk).state == HarvestState.RUNNING


def test_one_that_waits_for_others_to_end_says_so(wiki_row, tmp_path):
    path = written(tmp_path, whole(3))
    first, second = (start_harvest(source="dump", wiki=wiki_row, parameters={"path": str(path)}) for _ in range(2))
    assert claim_harvest(first.pk)
    Harvest.objects.filter(pk=second.pk).update(requested_at=timezone.now() - timedelta(minutes=2))
    second.refresh_from_db()
    assert Progress(second).hint == "It begins when another harvest ends."
