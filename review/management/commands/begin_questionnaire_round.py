"""Begin a round with another questionnaire than the three verdicts, such as the verification of candidates.

manage.py begin_questionnaire_round "Verification 1" --questionnaire CODE --reviewers rita ralph
manage.py begin_questionnaire_round "People" --questionnaire CODE --release 3 --sample-size 150 --reviewers rita
"""

from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from annotation.models import Release
from core.files.commands import add_dry_run

from ...forms import QuestionnaireRoundForm
from ...rounds.questionnaires import QUESTIONNAIRES, questionnaire_of
from .begin_round import BeginsRound, filled_in

NUMBERS = {
    "sample_size": "how many to judge (all)",
    "seed": "the same seed draws the same sample and the same orders",
    "undo_minutes": "minutes for taking a judgment back",
    "lease_minutes": "minutes for which one is reserved for the person who opened it",
}


class Command(BeginsRound):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="a name that people will recognise")
        offered = sorted(code for code, each in QUESTIONNAIRES.items() if not each.begin_page)
        parser.add_argument("--questionnaire", required=True, choices=offered, help="the questionnaire")
        parser.add_argument("--reviewers", nargs="+", required=True, metavar="NAME", help="their user names")
        parser.add_argument("--runs", type=int, nargs="+", metavar="RUN", help="judge the responses of these runs")
        parser.add_argument("--release", type=int, metavar="NUMBER", help="judge the instances of this release")
        for name, what in NUMBERS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=what)
        parser.add_argument("--deadline", metavar="YYYY-MM-DD", help="the day by which the work is to be done (none)")
        add_dry_run(parser, "show the planned round without beginning it")

    def values(self, options: dict[str, Any]) -> dict[str, Any]:
        asked = questionnaire_of(options["questionnaire"])
        release = Release.objects.filter(number=options["release"]).values_list("pk", flat=True).first()
        return filled_in(partial(QuestionnaireRoundForm, asked), options, release=release).values
