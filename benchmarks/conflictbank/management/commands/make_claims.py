"""Make claims of facts for ConflictBank: of each fact the true one, and one for each cause of conflict.

The same seed and facts give the same claims. Repeating the command makes the claims of facts that came since.

manage.py make_claims --seed 7
"""

from datetime import date
from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, add_dry_run, wrong_usage

from ...claims.making import make_claims
from ...claims.twins import make_twins


class Command(RuleCommand):
    help = __doc__
    interrupted = "Claims that were made are kept. Repeat the command with the same seed to make the others."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seed", type=int, required=True, metavar="N", help="draws objects, times and styles")
        parser.add_argument(
            "--date", type=date.fromisoformat, metavar="YYYY-MM-DD", help="the date of the claims (today)"
        )
        parser.add_argument(
            "--first-year",
            type=int,
            metavar="YEAR",
            help="the first year of times in temporal claims (the one after the date of the claims)",
        )
        parser.add_argument(
            "--leave-out-living",
            action="store_true",
            help="make no claims about people who are, or may be, living",
        )
        parser.add_argument(
            "--twins-of",
            type=int,
            metavar="N",
            help="make the counterfactual twins of the claims with this seed, with their dates and years",
        )
        add_dry_run(parser)

    def handle(self, **options: Any) -> None:
        if options["twins_of"] is not None:
            self.make_twins(**options)
            return
        made = make_claims(
            seed=options["seed"],
            made_on=options["date"],
            first_year=options["first_year"],
            leave_out_living=options["leave_out_living"],
            check_only=options["dry_run"],
        )
        for line in made.lines():
            self.stdout.write(line)

    def make_twins(self, *, seed: int, twins_of: int, dry_run: bool, **options: Any) -> None:
        if options["date"] or options["first_year"] or options["leave_out_living"]:
            raise wrong_usage("Twins have the settings of their claims.")
        for line in make_twins(seed=seed, of=twins_of, check_only=dry_run).lines():
            self.stdout.write(line)
