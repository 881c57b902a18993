"""Begin a round with a form other than the three verdicts, such as the verification of candidates.

manage.py begin_form_round "Verification 1" --form contradoc-verification --reviewers rita ralph
manage.py begin_form_round "People" --form contradoc-find --release 3 --sample-size 150 --reviewers rita
"""

from collections import Counter
from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from annotation.models import Release
from core.files.commands import RuleCommand, add_dry_run, perhaps_undone
from core.lists.pages import plural

from ...forms import FormRoundForm
from ...models import VERDICTS, ItemKind, Round
from ...rounds.dealing import deal_round, planned_deal
from ...rounds.forms import FORMS, Form, form_of
from ...rounds.rounds import create_round
from .begin_round import filled_in, say_left_out

NUMBERS = {
    "sample_size": "how many to judge (all)",
    "seed": "the same seed draws the same sample and the same orders",
    "undo_minutes": "minutes in which a judgment can be taken back",
    "lease_minutes": "minutes for which one is reserved for the person who opened it",
}


class Command(RuleCommand):
    help = __doc__
    interrupted = "If the round was made (manage.py round_status), the worker deals the rest of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="a name that people will recognise")
        offered = sorted(code for code in FORMS if code != VERDICTS)
        parser.add_argument("--form", required=True, choices=offered, help="what people are asked")
        parser.add_argument("--reviewers", nargs="+", required=True, metavar="NAME", help="their user names")
        parser.add_argument("--runs", type=int, nargs="+", metavar="RUN", help="judge the responses of these runs")
        parser.add_argument("--release", type=int, metavar="NUMBER", help="judge the instances of this release")
        for name, what in NUMBERS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=what)
        add_dry_run(parser, "show what the round would deal, and begin none")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        form = wanted_round(form_of(options["form"]), options)
        if dry_run:
            with perhaps_undone(dry_run):
                self.show(form, create_round(admin=None, **form.values))
            return
        round = create_round(admin=None, **form.values)
        self.stdout.write(f"Round {round.pk} “{round.name}” is made.")
        if deal_round(round.pk):
            round.refresh_from_db()
            dealt = round.items.filter(kind=ItemKind.ORDINARY).count()
            self.stdout.write(f"{plural(dealt, form.form.singular, form.form.plural)} dealt. Reviewers can begin.")
            say_left_out(self.stdout, round.left_out)
        else:
            self.stdout.write("A worker deals it. See manage.py round_status.")

    def show(self, form: FormRoundForm, round: Round) -> None:
        """What the round would deal, to whom, and what it would leave out."""
        _, dealt, left_out = planned_deal(round)
        load = Counter(person for _, people in dealt for person in people)
        self.stdout.write(f"{plural(len(dealt), form.form.singular, form.form.plural)} would be dealt.")
        for number, reviewer in enumerate(round.reviewers.select_related("person").order_by("pk")):
            self.stdout.write(f"{reviewer.person.username}: {plural(load[number], 'judgment')}.")
        say_left_out(self.stdout, left_out)
        self.stdout.write("No round was begun.")


def wanted_round(asked: Form, options: dict[str, Any]) -> FormRoundForm:
    """The round as the form of the page checks it. Raises CommandError if it refuses it."""
    release = Release.objects.filter(number=options["release"]).values_list("pk", flat=True).first()
    return filled_in(partial(FormRoundForm, asked), options, release=release)
