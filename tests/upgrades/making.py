"""Make the stored databases of a version, in the middle of work: `python -m tests.upgrades.making 0.2`.

The sample people, articles, release and runs of a first start come first. Then an annotator has a draft and another
a lease, a run stands paused with its calls unsent, and two reviewers are partway through a round. `DATABASE_URL`
names an empty PostgreSQL database; without it the file is SQLite's. Beside the database lie the checksums of the
migrations, and of the files that must come out of it unchanged.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

import django

from .stored import POSTGRESQL, SQLITE, migration_sums, stored_folder


def fill() -> None:
    """Bring the database that the settings name to the state that is stored."""
    from django.core.management import call_command

    call_command("prepare")
    leave_a_draft_and_a_lease()
    run = leave_a_run_paused()
    leave_a_round_half_judged(run.release)


def person(name: str):
    from core.models import User

    return User.objects.get(username=name)


def leave_a_draft_and_a_lease() -> None:
    from annotation.desk.assignments.assignment import claim_next_tag
    from annotation.desk.drafts.drafts import save_draft

    writer = person("annotator")
    drafted = claim_next_tag(annotator=writer)
    content = {
        "paragraphA_information": "The bridge opened in 1868.",
        "paragraphB_information": "Half done: ½ “so far”, 橋.",
    }
    save_draft(annotation=drafted, annotator=writer, content=content, base_version=0, operation=uuid4())
    claim_next_tag(annotator=person("annotator2"))


def leave_a_run_paused():
    from annotation.models import Release
    from judging.catalogue.standard import answerer_baselines
    from judging.models import PromptTemplate
    from judging.runs.runs import create_run, pause_run, start_run

    release = Release.objects.earliest("number")
    run = create_run(
        name="Paused before it asked anything",
        release=release,
        language_models=answerer_baselines(),
        templates=PromptTemplate.objects.current()[:2],
    )
    start_run(run=run)
    pause_run(run=run)
    return run


def leave_a_round_half_judged(release) -> None:
    from judging.catalogue.standard import answerer_baselines
    from judging.models import PromptTemplate
    from judging.runs.pump import pump_calls
    from judging.runs.runs import create_run, start_run
    from review.models import RoundReviewer
    from review.rounds.dealing.dealing import deal_round
    from review.rounds.judgments import record_judgment
    from review.rounds.rounds import create_round
    from review.rounds.turns.turns import next_slots

    people = [person("reviewer"), person("reviewer2")]
    # The sample's own rounds judge the responses of its runs.
    templates = PromptTemplate.objects.current().filter(code="4")
    asked = {"release": release, "language_models": answerer_baselines(), "templates": templates}
    run = create_run(name="Half judged", **asked)
    start_run(run=run)
    pump_calls()
    made = create_round(admin=person("admin"), name="Half judged", runs=[run], reviewers=people)
    deal_round(made.pk)
    said = (("correct", "incorrect", "incorrect"), ("incorrect", "correct"))
    for own, verdicts in zip(RoundReviewer.objects.filter(round=made).order_by("pk"), said, strict=True):
        for verdict in verdicts:
            slot = next_slots(own, count=1)[0]
            record_judgment(slot=slot, reviewer=own.person, verdict=verdict)


def store(version: str) -> None:
    """Write what is in the database now, and the sums beside it, as this version's."""
    from django.db import connection

    from .files import file_sums

    folder = stored_folder(version)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "migrations.json").write_text(json.dumps(migration_sums(), indent=1) + "\n")
    sums = folder / f"files_{connection.vendor}.json"
    sums.write_text(json.dumps(file_sums(), indent=1) + "\n")
    if connection.vendor == "sqlite":
        copy = Path(tempfile.mkdtemp()) / "copy"
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(copy)])
        data, name = copy.read_bytes(), SQLITE
    else:
        command = ["pg_dump", "--no-owner", "--no-privileges", "--dbname", os.environ["DATABASE_URL"]]
        data, name = subprocess.run(command, check=True, capture_output=True).stdout, POSTGRESQL
    (folder / name).write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("VAR_DIR", tempfile.mkdtemp())
    django.setup()
    fill()
    store(sys.argv[1])
