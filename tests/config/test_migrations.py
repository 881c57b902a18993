"""Migrations, there and back."""

import shutil

import pytest

from tests.config.reading.test_environment import manage


@pytest.mark.thorough
def test_the_tables_of_each_app_can_be_taken_away_and_made_again(migrated, tmp_path):
    shutil.copy(migrated, tmp_path / "site.sqlite3")
    site = f"sqlite:///{tmp_path}/site.sqlite3"
    for what in (["review", "zero"], ["judging", "zero"], ["annotation", "zero"], []):
        ended = manage(tmp_path, "migrate", "-v0", *what, DATABASE_URL=site)
        assert ended.returncode == 0, ended.stderr
    count = "from judging.models import PromptTemplate; print(PromptTemplate.objects.count())"
    assert int(manage(tmp_path, "shell", "-v0", "-c", count, DATABASE_URL=site).stdout) > 0
