"""Show the progress of a run: calls, tokens, money, failures and their reasons. Without a number, the latest runs."""

import json
from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand

from ...catalogue.purposes import made_by
from ...models import Run
from ...runs.printing import as_json, find_run, problem_lines, progress_line
from ...runs.progress.progress import progress_of

LATEST = 20


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, nargs="?", help="the number of a run")
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, **options: Any) -> None:
        run = options["run"]
        runs = [find_run(run)] if run is not None else list(Run.objects.all()[:LATEST])
        progress = [progress_of(each) for each in runs]
        if options["json"]:
            found = [as_json(each) | made_as_json(each.run) for each in progress]
            self.stdout.write(json.dumps(found if run is None else found[0], indent=2))
            return
        for each in progress:
            self.stdout.write(f"{each.run}, {progress_line(each)}")
            for line in problem_lines(each) if run is not None else []:
                self.stdout.write(line)
            if run is not None and (made := made_by(each.run)):
                self.stdout.write(f"Result: {', '.join(f'{one.count:,} {one.label}' for one in made)}.")
        if not runs:
            self.stdout.write("There are no runs yet. Start one with: manage.py start_run")


def made_as_json(run: Run) -> dict[str, object]:
    """The result of a run that makes or checks candidates; nothing for another run."""
    made = made_by(run)
    return {"made": {each.code: each.count for each in made}} if made else {}
