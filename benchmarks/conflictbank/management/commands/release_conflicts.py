"""Make a release of ConflictBank from claims whose evidence passed its checks, and print its number.

Each claim needs evidence of the model that passed all checks that were made, or was overruled with a reason. Evidence
that no component could check counts, and the release says how much of it there is.

manage.py release_conflicts --seed 7 --model Mist --name "Our conflicts"
"""

from typing import Any

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, add_dry_run
from core.refusals import Refusal
from judging.models import LanguageModel

from ...choosing import FOUR_OBJECTS, WITH_UNCERTAIN
from ...release.releasing import check_chosen, chosen_items, release_conflicts


class Command(RuleCommand):
    help = __doc__
    interrupted = "A release is made as a whole or not at all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seed", type=int, required=True, metavar="N", help="the seed of the claims")
        parser.add_argument("--model", required=True, metavar="NAME", help="the model that wrote the evidence")
        parser.add_argument("--name", default="ConflictBank", help="the name of the release (“%(default)s”)")
        parser.add_argument(
            "--four-objects",
            action="store_true",
            help="options of four objects, as in the published code, instead of three and “uncertain”",
        )
        parser.add_argument("--with-twins", action="store_true", help="also release the items of the claims' twins")
        add_dry_run(parser, "show the number of items without making a release")

    def handle(self, *, model: str, name: str, dry_run: bool, **options: Any) -> None:
        writer = LanguageModel.objects.filter(name=model).first()
        if writer is None:
            raise Refusal(f"There is no model “{model}”. Nothing was released.", status=404)
        wanted = {
            "seed": options["seed"],
            "model": writer,
            "version": FOUR_OBJECTS if options["four_objects"] else WITH_UNCERTAIN,
            "with_twins": options["with_twins"],
        }
        if dry_run:
            chosen = chosen_items(**wanted)
            check_chosen(chosen, name)
            self.stdout.write("Nothing was made. The release would have:")
        else:
            release, chosen = release_conflicts(name=name, **wanted)
            self.stdout.write(f"Release {release.number} “{release.name}”.")
        for line in chosen.lines():
            self.stdout.write(line)
