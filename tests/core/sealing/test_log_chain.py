"""Each entry of the log has a seal over itself and the seal before, so that tampering is found and named."""

import json
import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import AnnotationAction
from core.engine.writing.inserts import new_keys
from core.keeping.checks import wrong_rows
from core.models import Batch, Event, Seal, Sign, SignKind, User
from core.sealing.digests import COLUMNS, START, canonical, digest_of
from core.sealing.findings import log_findings
from core.sealing.sealing import LONGEST_TRANSACTION, seal_new_entries
from core.sealing.tasks import seal_log
from core.sealing.verifying import verify, verify_log
from tests.untriggered import without_triggers

TRIED = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
NUMBER = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)
VALUES = st.dictionaries(TEXT, st.none() | st.booleans() | NUMBER | TEXT | st.lists(TEXT, max_size=3), max_size=3)


def write(**values) -> Event:
    row = {"action": AnnotationAction.FLAGGED, "subject_kind": "tag", "subject_id": 1}
    return Event.everything.create(**row | values)


def tampered(statement: str, *values: object) -> None:
    """As anyone with the database's password would do it."""
    with without_triggers("core_%"), connection.cursor() as cursor:
        cursor.execute(statement, values)


@pytest.fixture
def sealed(db) -> list[Event]:
    new_keys(Event, 3)  # numbers that others got, whose transactions are still open
    events = [write(message=f"entry {number}") for number in range(5)]
    assert seal_new_entries() == 5
    return events


def open_batch(**values) -> Batch:
    return Batch.objects.create(what="an import", alive_until=timezone.now() + timedelta(hours=1), **values)


@pytest.mark.django_db
@TRIED
@given(acts=st.lists(st.tuples(VALUES, TEXT, st.booleans()), min_size=1, max_size=8), data=st.data())
def test_any_writes_make_a_whole_chain_and_any_tampered_entry_is_named(acts, data):
    with transaction.atomic():
        entries = []
        for after, message, is_sealed in acts:
            entries.append(write(after=after, message=message))
            if is_sealed:
                seal_new_entries()
        chain = verify_log()
        assert (chain.position, chain.wrong) == (len(acts), [])
        changed = data.draw(st.sampled_from(entries))
        column, value = data.draw(
            st.sampled_from([("message", changed.message + "."), ("subject_id", 2), ("after", '{"is": "other"}')])
        )
        tampered(f"UPDATE core_event SET {column} = %s WHERE id = %s", value, changed.pk)
        (found,) = verify().wrong
        assert found.startswith(f"Entry {changed.pk:,} ")
        transaction.set_rollback(True)


def test_every_column_of_an_entry_is_sealed():
    assert set(COLUMNS) == {field.attname for field in Event._meta.concrete_fields}


@pytest.mark.django_db
@pytest.mark.parametrize("number", range(4))
def test_an_entry_that_was_deleted_leaves_a_gap(sealed, number):
    tampered("DELETE FROM core_seal WHERE event_id = %s", sealed[number].pk)
    tampered("DELETE FROM core_event WHERE id = %s", sealed[number].pk)
    assert verify_log().wrong == [f"1 seal is gone after seal {number}."]


def forge(event: Event) -> None:
    """Change an entry, and its seal so that it fits."""
    tampered("UPDATE core_event SET message = 'forged' WHERE id = %s", event.pk)
    seal = Seal.objects.get(event=event)
    before = Seal.objects.filter(position=seal.position - 1).first()
    entry = Event.everything.filter(pk=event.pk).values_list(*COLUMNS).get()
    digest = digest_of(before.digest if before else START, seal.position, entry)
    tampered("UPDATE core_seal SET digest = %s WHERE position = %s", digest, seal.position)


@pytest.mark.parametrize("number", range(4))
def test_an_entry_that_was_changed_together_with_its_seal_breaks_the_next(sealed, number):
    forge(sealed[number])
    (found,) = verify().wrong
    assert found.startswith(f"Entry {sealed[number + 1].pk:,} ")
    assert "or the entry before was changed together with its seal" in found


def test_a_seal_alone_that_was_changed_is_named_and_not_the_next(sealed):
    tampered("UPDATE core_seal SET digest = %s WHERE position = 2", "0" * 64)
    (found,) = verify().wrong
    assert found.startswith(f"Entry {sealed[1].pk:,} (seal 2)")


def test_a_chain_made_anew_is_not_the_one_that_was_verified(sealed):
    assert verify_log().wrong == []
    for event in sealed:
        forge(event)
    assert verify().wrong == []
    assert verify_log().wrong == ["Seal 5 is another one than when the log was last verified."]
    # Nor is it believed the next time.
    assert verify_log().wrong == ["Seal 5 is another one than when the log was last verified."]


def test_a_chain_whose_end_was_cut_off_is_shorter_than_the_one_that_was_verified(sealed):
    verify_log()
    tampered("DELETE FROM core_seal WHERE position > 3")
    tampered("DELETE FROM core_event WHERE id > %s", sealed[2].pk)
    assert verify_log().wrong == ["The log ends with seal 3, and had seal 5 when it was last verified."]


def test_an_entry_with_a_lower_number_that_comes_later_is_sealed_later(sealed):
    late = write(pk=sealed[0].pk - 1)
    assert seal_new_entries() == 1
    assert Seal.objects.get(event=late).position == 6
    assert verify_log().wrong == []


def test_entries_of_an_import_are_sealed_once_they_can_be_seen(sealed):
    batch = open_batch()
    hidden = [write(batch=batch) for _ in range(3)]
    later = write()
    assert seal_new_entries() == 1
    hours_pass()
    seal_new_entries()
    hours_pass()
    seal_new_entries()
    Batch.objects.update(is_open=False)
    assert seal_new_entries() == 3
    assert [Seal.objects.get(event=each).position for each in [later, *hidden]] == [6, 7, 8, 9]
    assert verify_log().wrong == []


def hours_pass() -> None:
    """Let sealing believe that its last entry is from longer ago than any transaction is open."""
    sign = Sign.objects.get(kind=SignKind.SEALED)
    sign.facts["since"] = (timezone.now() - 2 * LONGEST_TRANSACTION).isoformat()
    sign.save()


def test_after_some_hours_old_entries_are_not_looked_at_again_until_the_night(sealed):
    for _ in range(2):
        hours_pass()
        seal_new_entries()
    assert Sign.objects.get(kind=SignKind.SEALED).facts["complete_to"] == sealed[-1].pk
    late = write(pk=sealed[0].pk - 1)
    assert seal_new_entries() == 0
    verify_log()
    assert Seal.objects.filter(event=late).exists()


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("UPDATE core_seal SET digest = ''", "never change"),
        ("DELETE FROM core_seal", "never deleted"),
        ("TRUNCATE core_seal", "never deleted"),
    ],
)
def test_the_database_refuses_to_change_seals(sealed, statement, refusal):
    if statement.startswith("TRUNCATE") and connection.vendor != "postgresql":
        pytest.skip("SQLite has no TRUNCATE.")
    if connection.vendor == "postgresql":
        connection.check_constraints()
    with pytest.raises(DatabaseError, match=refusal), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.django_db(transaction=True)
def test_two_that_seal_at_once_make_one_chain():
    if connection.vendor != "postgresql":
        pytest.skip("threads share no SQLite database in memory")
    for _ in range(300):
        write()

    def seal() -> None:
        try:
            seal_new_entries()
        finally:
            connection.close()

    threads = [threading.Thread(target=seal) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seal_new_entries()
    assert list(Seal.objects.values_list("position", flat=True)) == list(range(1, 301))
    assert verify_log().wrong == []


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_have_one_form_whichever_database_kept_them(value):
    # PostgreSQL keeps the decimal digits, and writes them without an exponent.
    kept = json.loads(format(Decimal(repr(value)), "f"))
    assert canonical([{"a": kept}]) == canonical([{"a": value}])


def test_doctor_and_the_command_say_whether_the_log_is_whole(sealed, capsys):
    assert [finding.state for finding in log_findings()] == ["unknown"]
    seal_log()
    assert [finding.state for finding in log_findings()] == ["ok"]
    tampered("UPDATE core_event SET message = '' WHERE id = %s", sealed[3].pk)
    (finding,) = log_findings()
    assert finding.state == "failed"
    assert f"Entry {sealed[3].pk:,} (seal 4) is not as it was sealed" in finding.sentence
    with pytest.raises(CommandError):
        call_command("doctor", offline=True, whole_log=True)
    assert f"Entry {sealed[3].pk:,} (seal 4) is not as it was sealed" in capsys.readouterr().out
    assert Sign.objects.get(kind=SignKind.LOG).facts["wrong"]
    assert [sentence for sentence in wrong_rows() if "the activity log was tampered with: Entry" in sentence]


def test_doctor_does_not_know_of_a_log_that_nobody_seals_or_verifies_any_more(sealed):
    seal_log()
    for kind in (SignKind.SEALED, SignKind.LOG):
        Sign.objects.filter(kind=kind).update(at=timezone.now() - timedelta(days=3))
        assert [finding.state for finding in log_findings()] == ["unknown"]
        Sign.objects.filter(kind=kind).update(at=timezone.now())


def test_a_save_asks_nothing_more_of_the_database(admin: User, django_assert_num_queries):
    with django_assert_num_queries(1):
        Event.record(AnnotationAction.FLAGGED, admin, actor=admin)
