"""Show the progress of a round: judgments, agreement, what waits to be adjudicated. Without a number, the latest.

Its numbers must stay hidden from reviewers of an open round, so do not show it to them.
"""

import json
from dataclasses import asdict

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand

from ...models import Round
from ...rounds.final_verdicts.pairing import complete_pairs
from ...rounds.rounds import find_round, round_progress
from ...rounds.telling import lines_about

LATEST = 20


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round", type=int, nargs="?", help="the number of a round")
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *, round: int | None, **options: object) -> None:
        complete_pairs()
        found = [find_round(round)] if round is not None else list(Round.objects.order_by("-pk")[:LATEST])
        progress = [(each, round_progress(each)) for each in found]
        if options["json"]:
            as_json = [
                {"round": each.pk, "name": each.name, "state": each.state, "deadline": _iso(each), **asdict(done)}
                for each, done in progress
            ]
            self.stdout.write(json.dumps(as_json if round is None else as_json[0], indent=2))
            return
        for each, done in progress:
            for line in lines_about(each, done):
                self.stdout.write(line)
        if not found:
            self.stdout.write("There are no rounds yet. Begin one with: manage.py begin_round")


def _iso(round: Round) -> str | None:
    return round.deadline.isoformat() if round.deadline else None
