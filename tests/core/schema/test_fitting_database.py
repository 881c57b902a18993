"""A database that does not fit the program is refused in a sentence; one that fits is checked once."""

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection

from config.worker import CheckedTask
from core.schema import checking
from core.schema.checking import Checked, difference

pytestmark = pytest.mark.django_db


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_migrated_database_fits():
    assert difference() == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ALTER TABLE core_webhook RENAME TO core_gone", "the table core_webhook is missing"),
        ("ALTER TABLE core_webhook ADD COLUMN more integer", "the column core_webhook.more is unknown"),
        ("ALTER TABLE core_savedview RENAME COLUMN name TO title", "the column core_savedview.name is missing"),
        ("DELETE FROM django_migrations WHERE app = 'review'", "review.0001_initial, "),
        (
            "INSERT INTO django_migrations (app, name, applied) VALUES ('core', '0999_new', '2027-01-01 00:00:00')",
            "made by a newer version of this program, which knows core.0999_new",
        ),
        (
            "INSERT INTO django_migrations (app, name, applied) VALUES ('mfa', '0001_new', '2027-01-01 00:00:00')",
            "made by a newer version of this program, which knows mfa.0001_new",
        ),
    ],
)
def test_what_differs_is_named_with_what_to_do(change, said):
    run(change)
    assert said in difference()
    assert "docs/upgrading.md" in difference()


def test_triggers_are_compared_by_name_and_text():
    missing, other = "core_event_frozen", "core_deliveryattempt_frozen"
    if connection.vendor == "sqlite":
        run(f"DROP TRIGGER {missing}")
        run(f"DROP TRIGGER {other}")
        run(f"CREATE TRIGGER {other} BEFORE UPDATE ON core_deliveryattempt BEGIN SELECT 1; END")
        run("CREATE TRIGGER stray BEFORE UPDATE ON core_deliveryattempt BEGIN SELECT 1; END")
    else:
        run(f"ALTER TABLE core_event DISABLE TRIGGER {missing}")
        body = "RETURNS trigger AS $$ BEGIN RETURN NEW; END $$ LANGUAGE plpgsql"
        run(f"CREATE OR REPLACE FUNCTION core_deliveryattempt_is_frozen() {body}")
        run(f"CREATE FUNCTION stray() {body}")
        run("CREATE TRIGGER stray BEFORE UPDATE ON core_deliveryattempt FOR EACH ROW EXECUTE FUNCTION stray()")
    said = difference()
    assert f"the trigger {missing} is missing or switched off" in said
    assert f"the trigger {other} is not as the program makes it" in said
    assert "the trigger stray is unknown" in said


def test_a_command_is_refused_once_its_process_has_not_looked(monkeypatch):
    monkeypatch.setattr(Checked, "is_done", False)
    run("DELETE FROM django_migrations WHERE app = 'review'")
    with pytest.raises(CommandError, match=r"run `manage.py migrate`"):
        call_command("check_sums")


def test_a_process_that_has_looked_does_not_look_again(monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(Checked, "is_done", True)
    with django_assert_num_queries(0):
        checking.check_for_command()


def test_a_worker_of_another_version_does_nothing(monkeypatch, django_assert_num_queries):
    class Work(CheckedTask):
        name = "work"

        def run(self) -> str:
            return "done"

    monkeypatch.setattr(Checked, "migration", checking.last_migration())
    with django_assert_num_queries(1):
        assert Work()() == "done"
    run("INSERT INTO django_migrations (app, name, applied) VALUES ('core', '0999_new', '2027-01-01 00:00:00')")
    assert Work()() is None


def test_a_database_that_is_away_ends_no_web_server(monkeypatch):
    def away() -> str:
        raise DatabaseError("away")

    connected = []
    monkeypatch.setattr(checking, "difference", away)
    monkeypatch.setattr(checking.connection_created, "connect", lambda *_, **__: connected.append(True))
    monkeypatch.setattr(checking.connection, "close", lambda: None)
    checking.check_at_start()
    assert connected == [True]
