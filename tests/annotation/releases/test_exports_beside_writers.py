"""An admin downloads the annotations as they are now, and it is noted what they have seen, while others write."""

import shutil

import pytest

from speed.lock_waits import json_list, records
from tests.sites import done, empty_site

RECORDS = 1_100
# The first record is sent; then someone else saves; then the others follow.
EXPORT = """
import sys, threading; import django; django.setup()
from django.db import connection
from core.models import Role, User
from annotation.label_studio.exports import task_chunks
from annotation.releases.files.exports import CURRENT_FORMATS
from tests.conftest import make_person
amir = make_person("Amir", Role.ADMIN)
def write():
    User.objects.filter(username="Amir").update(first_name="Amir")
    connection.close()
for kind, format in {**CURRENT_FORMATS, "tasks": lambda reader, tags: task_chunks(reader)}.items():
    pieces = format(amir, None)
    next(pieces, None)
    other = threading.Thread(target=write)
    other.start()
    other.join()
    sum(1 for _ in pieces)
"""


@pytest.mark.django_db
def test_a_download_of_the_annotations_is_whole_while_others_write(migrated, tmp_path):
    file = tmp_path / "annotations.json"
    file.write_text("".join(json_list(records(RECORDS, tasks=False))))
    with empty_site(tmp_path, vendor="sqlite") as site:
        shutil.copy(migrated, tmp_path / "workbench.sqlite3")
        done(site, "manage.py", "import_annotations", str(file))
        done(site, "-c", EXPORT)
