"""Reports over many answers: a page does not wait for a count that takes long, a file does."""

from concurrent.futures import Future

import pytest
from django.urls import reverse

from benchmarks.conflictbank.reports import kept
from tests.conflictbank.answers.test_answers import GOOD, imported
from tests.conflictbank.items.test_item_files import printed, written
from tests.conflictbank.items.test_items import RECORD, numbered

pytestmark = pytest.mark.django_db
BEFORE = "Newer answers are being counted"


class Later:
    """An executor that does its work when it is told to."""

    def __init__(self):
        self.waiting = []

    def submit(self, work):
        self.waiting.append((work, Future()))
        return self.waiting[-1][1]

    def do(self):
        for work, future in self.waiting:
            future.set_result(work())
        self.waiting.clear()


@pytest.fixture
def later(monkeypatch):
    executor = Later()
    monkeypatch.setattr(kept, "_executor", executor)
    monkeypatch.setattr(kept, "FEW_ANSWERS", 0)
    monkeypatch.setattr(kept, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(kept.connections, "close_all", lambda: None)  # the test's own
    kept._kept.clear()
    return executor


@pytest.fixture
def page(client, admin):
    client.force_login(admin)
    return lambda: client.get(reverse("report", args=["conflictbank-ratios"])).text


def test_a_page_shows_the_earlier_numbers_while_newer_answers_are_counted(tmp_path, later, page):
    printed("import_conflictbank", str(written(tmp_path, [RECORD, numbered(1)])))
    imported(tmp_path, GOOD)
    assert "they are being counted" in page()
    assert 'hx-get="/review/reports/conflictbank-ratios/"' in page()  # asks again by itself
    later.do()
    first = page()
    assert "0 of 1 item" in first
    assert BEFORE not in first
    imported(tmp_path, GOOD | {"item": 1})
    for _ in range(2):  # the second asks for no second count
        second = page()
        assert "0 of 1 item" in second
        assert BEFORE in second
    assert len(later.waiting) == 1
    later.do()
    assert "0 of 2 items" in page()
    assert BEFORE not in page()


def test_what_is_answered_during_a_count_is_counted_by_the_next_one(tmp_path, later, page):
    printed("import_conflictbank", str(written(tmp_path, [RECORD, numbered(1)])))
    imported(tmp_path, GOOD)
    page()
    imported(tmp_path, GOOD | {"condition": "correct"})
    later.do()
    assert BEFORE in page()
    later.do()
    assert BEFORE not in page()


def test_files_and_commands_wait(tmp_path, later, client, admin):
    printed("import_conflictbank", str(written(tmp_path, [RECORD, numbered(1)])))
    imported(tmp_path, GOOD)
    client.force_login(admin)
    address = reverse("report_download", args=["conflictbank-ratios", "json"])
    assert client.get(address).json()["Mist"]["of"] == 1
    imported(tmp_path, GOOD | {"item": 1})
    assert client.get(address).json()["Mist"]["of"] == 2
    assert not later.waiting
