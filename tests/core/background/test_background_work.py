"""Large files and releases of many conflicts: asked for on a page, done by a worker, with progress."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.models import Release
from benchmarks.conflictbank.facts.importing import import_facts
from benchmarks.conflictbank.models import Fact
from benchmarks.conflictbank.views import making
from core.background import doing, works
from core.background.tasks import do_background_work
from core.background.works import claim_next
from core.files import uploads
from core.models import BackgroundWork, Batch, Event, Role, WorkState
from core.writing.batches import last_batch, written_together
from tests.conflictbank.making.test_making_pages import conflicts_with_evidence, release_of, sent, shown
from tests.conftest import make_person
from tests.factories.conflictbank import residents

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def pages(sign_in, admin, monkeypatch, tmp_path):
    """Pages on which every file is large."""
    monkeypatch.setattr(making, "FACTS", replace(making.FACTS, at_once=10))
    monkeypatch.setattr(uploads, "folder", lambda: tmp_path / "uploads")
    return sign_in(admin)


@pytest.fixture
def do_waiting(django_capture_on_commit_callbacks):
    """Do what waits, and what follows once it is committed."""

    def do() -> int:
        with django_capture_on_commit_callbacks(execute=True):
            return doing.do_waiting()

    return do


def kept(tmp_path) -> list:
    return list((tmp_path / "uploads").iterdir())


def ask(pages, rows=None, action="import") -> BackgroundWork:
    """Upload facts; no worker has been woken yet, as nothing is committed."""
    answer = pages.post(reverse("facts_import"), sent(residents(6) if rows is None else rows, action))
    assert answer.status_code == 302
    work = BackgroundWork.objects.latest("pk")
    assert answer.url == reverse("background_work", args=[work.key])
    return work


def page_of(pages, work) -> str:
    return shown(pages.get(reverse("background_work", args=[work.key])))


def test_a_worker_imports_a_large_file(pages, admin, tmp_path, django_capture_on_commit_callbacks):
    work = ask(pages)
    assert not Fact.objects.exists()
    assert "Waiting for a worker" in page_of(pages, work)
    assert len(kept(tmp_path)) == 1
    with django_capture_on_commit_callbacks(execute=True):
        do_background_work()
    work.refresh_from_db()
    assert work.state == WorkState.DONE
    assert "6 new facts" in page_of(pages, work)
    assert Fact.objects.first().file.licence == "CC0"
    assert not kept(tmp_path)
    assert [event.action for event in Event.objects.about(work)] == ["requested", "done"]
    assert Event.objects.filter(action="imported_facts", actor=admin).exists()


def test_the_result_is_in_the_language_of_the_person_who_asked(pages, admin, do_waiting):
    admin.language = "de"
    admin.save()
    work = ask(pages)
    do_waiting()
    work.refresh_from_db()
    assert "6 new facts" in work.lines[0]  # as the API has it
    assert "6 neue Fakten" in page_of(pages, work)


def test_a_message_begins_it_at_once(pages, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        work = ask(pages)
    work.refresh_from_db()
    assert work.state == WorkState.DONE


def test_a_small_file_is_imported_in_the_request(pages, monkeypatch):
    monkeypatch.setattr(making, "FACTS", replace(making.FACTS, at_once=100_000))
    assert "6 new facts" in shown(pages.post(reverse("facts_import"), sent(residents(6), "import")))
    assert not BackgroundWork.objects.exists()


def test_htmx_shows_the_progress_where_the_result_will_be(pages, do_waiting):
    answer = pages.post(reverse("facts_import"), sent(residents(6), "import"), headers={"HX-Request": "true"})
    work = BackgroundWork.objects.get()
    assert f'hx-get="{reverse("background_work", args=[work.key])}"' in answer.text
    assert "<html" not in answer.text
    do_waiting()
    again = pages.get(reverse("background_work", args=[work.key]), headers={"HX-Request": "true"})
    assert "hx-trigger" not in again.text
    assert "6 new facts" in again.text


def test_the_import_page_lists_what_was_asked_for(pages):
    ask(pages)
    assert "facts.jsonl" in shown(pages.get(reverse("facts_import")))


def test_a_second_click_asks_for_nothing_new(pages, tmp_path):
    first, second = ask(pages), ask(pages)
    assert first.pk == second.pk
    assert len(kept(tmp_path)) == 1
    other = ask(pages, residents(7))
    assert other.pk != first.pk


def test_the_database_refuses_the_same_twice(pages):
    work = ask(pages)
    work.pk, work.key = None, works.BackgroundWork._meta.get_field("key").get_default()
    with pytest.raises(IntegrityError), transaction.atomic():
        work.save(force_insert=True)


def test_what_has_ended_can_be_asked_for_again(pages, do_waiting):
    first = ask(pages)
    do_waiting()
    second = ask(pages)
    assert second.pk != first.pk
    do_waiting()
    second.refresh_from_db()
    assert "0 new facts" in second.lines[0]


def test_a_refusal_is_named_on_the_page(pages, tmp_path, do_waiting):
    work = ask(pages, [*residents(3), {"relation": "P551", "subject": "Ann"}])
    do_waiting()
    work.refresh_from_db()
    assert work.state == WorkState.REFUSED
    assert "Line 4" in page_of(pages, work)
    assert not Fact.objects.exists()
    assert not kept(tmp_path)


def test_a_large_file_can_be_validated(pages, do_waiting):
    work = ask(pages, action="check")
    do_waiting()
    assert "Validated only: nothing was written." in page_of(pages, work)
    assert "6 new facts" in page_of(pages, work)
    assert not Fact.objects.exists()


def test_another_worker_begins_again_after_one_was_killed(pages, do_waiting):
    work = ask(pages)
    assert claim_next() is not None  # and its worker dies
    assert claim_next() is None
    assert "In progress" in page_of(pages, work)
    BackgroundWork.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert "Another one begins again" in page_of(pages, work)
    do_waiting()
    work.refresh_from_db()
    assert (work.state, work.tries) == (WorkState.DONE, 2)
    assert Fact.objects.count() == 6


def test_what_kills_every_worker_is_given_up(pages):
    work = ask(pages)
    for _ in range(works.MOST_TRIES):
        assert claim_next() is not None
        BackgroundWork.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert claim_next() is None
    assert "was not tried again" in page_of(pages, work)


def test_one_runs_at_a_time_and_the_other_says_so(pages):
    ask(pages)
    second = ask(pages, residents(7))
    assert claim_next() is not None
    assert claim_next() is None
    assert "the one before it has ended" in page_of(pages, second)


def test_it_waits_while_others_write_or_the_rows_of_a_dead_process_are_deleted(
    pages, monkeypatch, tmp_path, do_waiting
):
    def import_in_a_batch(*args, **how):
        with written_together("facts", planned_after=last_batch()) as writing:
            writing.finish()
        return import_facts(*args, **how)

    monkeypatch.setattr("benchmarks.conflictbank.views.making.import_facts", import_in_a_batch)
    work = ask(pages)
    others = Batch.objects.create(what="annotations", alive_until=timezone.now() + timedelta(minutes=1))
    for _ in range(works.MOST_TRIES + 1):
        assert do_waiting() == 0
        assert "Waiting for a worker" in page_of(pages, work)
    assert len(kept(tmp_path)) == 1
    Batch.objects.filter(pk=others.pk).update(is_open=False)
    assert do_waiting() == 1
    assert Fact.objects.count() == 6


def test_cancelled_work_is_not_done(pages, tmp_path, do_waiting, django_capture_on_commit_callbacks):
    work = ask(pages)
    with django_capture_on_commit_callbacks(execute=True):
        pages.post(reverse("background_work_cancel", args=[work.key]))
    assert do_waiting() == 0
    assert "Cancelled" in page_of(pages, work)
    assert not kept(tmp_path)
    assert pages.post(reverse("background_work_cancel", args=[work.key])).status_code == 409


def test_work_cancelled_while_it_runs_leaves_nothing(pages, monkeypatch):
    work = ask(pages)
    claimed = claim_next()
    pages.post(reverse("background_work_cancel", args=[work.key]))
    progress = doing.Progress(claimed)
    progress.write()
    with pytest.raises(doing.WorkLost):
        progress.hear("Writing", 1, 2)
    assert not works.end_work(claimed, WorkState.DONE, lines=["done"])
    work.refresh_from_db()
    assert work.state == WorkState.CANCELLED


def test_progress_is_on_the_page(pages):
    work = ask(pages)
    progress = doing.Progress(claim_next())
    progress.hear("Writing", 1_500, 3_000)
    progress.write()
    assert "Writing : 50% 1,500 of 3,000" in re.sub(r"\s*:", " :", page_of(pages, work))


def test_an_error_says_what_it_was(pages, monkeypatch, tmp_path, do_waiting):
    def fail(*args, **how):
        raise ZeroDivisionError("secret text of the file")

    work = ask(pages)
    monkeypatch.setattr("benchmarks.conflictbank.views.making.import_facts", fail)
    do_waiting()
    said = page_of(pages, work)
    assert "ZeroDivisionError" in said
    assert "secret text" not in said
    assert not kept(tmp_path)


def test_a_file_that_is_gone_is_named(pages, tmp_path, do_waiting):
    work = ask(pages)
    for path in kept(tmp_path):
        path.unlink()
    do_waiting()
    assert "no longer on the server" in page_of(pages, work)


def test_a_worker_plans_and_makes_a_release_of_many_conflicts(pages, do_waiting, monkeypatch):
    monkeypatch.setattr(making, "FACTS", replace(making.FACTS, at_once=100_000))
    monkeypatch.setattr(making, "MOST_CONFLICTS_AT_ONCE", 5)
    pattern = conflicts_with_evidence(pages)
    asked = release_of(pattern)
    assert "a worker plans and releases them" in shown(pages.get(reverse("conflicts_release"), asked))
    planned = pages.post(reverse("conflicts_release"), asked | {"action": "check"})
    do_waiting()
    said = shown(pages.get(planned.url))
    assert "nothing was written. The result would be:" in said
    assert "8 items." in said
    assert not Release.objects.exists()
    made = pages.post(reverse("conflicts_release"), asked | {"action": "import"})
    do_waiting()
    assert "Release 1 is made. 8 items." in shown(pages.get(made.url))
    assert Release.objects.get().instances.count() == 8
    again = pages.post(reverse("conflicts_release"), asked | {"action": "import"})
    do_waiting()
    assert "holds exactly these items" in shown(pages.get(again.url))


def test_only_who_asked_sees_it(pages, sign_in):
    work = ask(pages)
    other = sign_in(make_person("olga", Role.ADMIN))
    assert other.get(reverse("background_work", args=[work.key])).status_code == 404
    assert other.post(reverse("background_work_cancel", args=[work.key])).status_code == 404
    assert "facts.jsonl" not in other.get(reverse("facts_import")).text


def test_who_is_no_longer_an_admin_imports_nothing(pages, admin, do_waiting):
    work = ask(pages)
    admin.groups.clear()
    do_waiting()
    work.refresh_from_db()
    assert work.state == WorkState.REFUSED
    assert not Fact.objects.exists()


def test_a_file_over_the_limit_is_refused_when_it_arrives(pages, settings, tmp_path):
    settings.IMPORT_MAX_BYTES = 20
    answer = pages.post(reverse("facts_import"), sent(residents(6), "import"))
    assert answer.status_code == 413
    assert not BackgroundWork.objects.exists()
