"""Make a release of ContraDoc from the candidates that people verified in finished rounds, and print its number.

manage.py release_candidates --round 4 --name "Our documents"
"""

from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, add_dry_run
from review.rounds.rounds import find_round

from ...release.releasing import plan_candidates, release_candidates


class Command(RuleCommand):
    help = __doc__
    interrupted = "A release is made as a whole or not at all. Run the command again to finish it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--round",
            type=int,
            nargs="+",
            required=True,
            metavar="ROUND",
            help="the rounds in which candidates were verified",
        )
        parser.add_argument("--name", default="", help="the name of the release (that of the first round)")
        parser.add_argument(
            "--with-clean",
            action="store_true",
            help="add the clean documents of which no candidate is released, as negative ones",
        )
        add_dry_run(parser, "show the number of documents without making a release")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        rounds = [find_round(number) for number in options["round"]]
        wanted = {
            "rounds": rounds,
            "name": options["name"] or str(rounds[0]),
            "with_clean": options["with_clean"],
        }
        if dry_run:
            contents, there = plan_candidates(**wanted)
            found = f"Release {there.number} “{there.name}” already has them." if there else "Nothing was made."
            self.stdout.write(f"The release would have {len(contents):,} documents. {found}")
            return
        release = release_candidates(**wanted)
        self.stdout.write(f"Release {release.number} “{release.name}”: {release.instances.count():,} documents.")
