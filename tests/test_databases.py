"""The second run, on PostgreSQL, has the tests for which the database matters."""

import re

from django.core.management import get_commands

from tests.databases import HERE, ON_POSTGRESQL, ONLY, files_by_name, name_of
from tests.structure import APPS

# One starts the server and the worker, the other reads text and knows no database.
PROCESSES = {"up", "extract_tags"}

# Words in test files that are about the database itself.
OF_THE_DATABASE = re.compile(
    r"\b(IntegrityError|DatabaseError|OperationalError|connection\.vendor|get_constraints)\b"
)
# The first needs a real wiki; the trigger that it meets is tried in core/test_frozen_rows.py. The second walks the
# pages that review/test_blindness.py walks there, as other people. The third is about SQLite's REPLACE.
NOT_AGAIN = {
    "annotation/test_evidence_mediawiki.py",
    "review/test_blindness_roles.py",
    "core/test_no_replacing.py",
    "test_databases.py",
}


def test_the_list_names_files_that_exist():
    assert set(ON_POSTGRESQL) - set(files_by_name()) == set()


def test_the_tests_chosen_of_a_file_exist():
    for name, tests in ONLY.items():
        text = files_by_name()[name].read_text()
        assert [test for test in tests if f"def {test}(" not in text] == []


def test_every_file_that_speaks_of_the_database_is_in_the_list():
    about = {
        name_of(path)
        for path in HERE.rglob("test_*.py")
        if OF_THE_DATABASE.search(path.read_text()) and "browser" not in path.parts
    }
    assert about - NOT_AGAIN - set(ON_POSTGRESQL) == set()


def test_every_command_has_a_part_in_the_second_run():
    files = files_by_name()
    texts = [files[name].read_text() for name in ON_POSTGRESQL]
    commands = {name for name, app in get_commands().items() if app in APPS} - PROCESSES
    assert {name for name in commands if not any(f'"{name}"' in text for text in texts)} == set()
