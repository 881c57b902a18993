"""Rows that came while triggers were off are found by check_sums, and repaired; triggers need no search path."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core.engine.kept.keepers import check_sums
from judging.models import Call
from tests.factories.judging import make_model, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def triggers_off():
    """Switch the triggers of calls off and on again, as a restore of data alone does."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'judging_call'")
            made = cursor.fetchall()
        before = [f"DROP TRIGGER {name}" for name, _ in made]
        after = [sql for _, sql in made]
    else:
        before = ["SET CONSTRAINTS ALL IMMEDIATE", "ALTER TABLE judging_call DISABLE TRIGGER USER"]
        after = ["ALTER TABLE judging_call ENABLE TRIGGER USER"]

    def run(statements):
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    return lambda: run(before), lambda: run(after)


def test_bulk_sql_with_triggers_off_is_found_and_repaired(triggers_off):
    off, on = triggers_off
    run = make_run(make_model(), instances=2)
    off()
    Call.objects.filter(run=run).update(state="cancelled", ended_at="2026-11-27T00:00:00Z")
    on()
    assert check_sums() != []
    with pytest.raises(CommandError, match="check_sums --repair"):
        call_command("check_sums")
    call_command("check_sums", repair=True)
    assert check_sums() == []


def test_triggers_work_with_an_empty_search_path():
    """As `pg_restore --data-only` and the dumps of `pg_dump` set it."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no search path")
    run = make_run(make_model(), instances=2)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        (schema,) = cursor.fetchone()
        cursor.execute("SET LOCAL search_path TO ''")
        cursor.execute(
            f"UPDATE {schema}.judging_call SET state = 'cancelled', ended_at = now() WHERE run_id = %s", [run.pk]
        )
        cursor.execute(f"SET LOCAL search_path TO {schema}")
    assert check_sums() == []
