"""Begin a judging round: the responses of runs are dealt to reviewers, each to several people who judge
independently.

Omitted options have the page's default values.

manage.py begin_round "First" --runs 1 2 --reviewers rita ralph --sample-size 500
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.management.base import CommandParser
from django.forms import BaseForm

from core.files.commands import RuleCommand, add_dry_run, wrong_usage
from core.models import Consensus, User
from core.models.names import composed
from core.refusals import Refusal
from core.words import plural
from judging.runs.printing import find_run

from ...forms import RoundForm
from ...models import FEWEST_EACH, MOST_EACH, ItemKind
from ...rounds.dealing.choosing import LeftOut
from ...rounds.dealing.dealing import deal_round, planned_deal
from ...rounds.questionnaires import Wanted, questionnaire_of
from ...rounds.rounds import create_round, plan_round

F = TypeVar("F", bound=BaseForm)

# Options that are passed on to the form as they are.
NUMBERS = {
    "sample_size": "how many responses to judge, in proportion to model, template and reasoning type (all)",
    "seed": "the same seed draws the same sample and the same orders",
    "judgments_each": f"people who judge each response, from {FEWEST_EACH} to {MOST_EACH}",
    "check_items": "responses with a known verdict, mixed in for each reviewer",
    "undo_minutes": "minutes for taking a judgment back",
    "lease_minutes": "minutes for which a response is reserved for the person who opened it",
}
SWITCHES = {
    "by_gain": "judge discriminating items first; until all is judged, rates are biased",
    "adjudicate_among_two": "reviewers adjudicate together",
}


class BeginsRound(RuleCommand):
    """A command that begins a round, or shows what it would deal."""

    interrupted = "If the round exists (manage.py round_status), the worker deals the rest of it."

    def values(self, options: dict[str, Any]) -> dict[str, Any]:
        """The arguments of `create_round`, as checked by the form of the page. Raises CommandError if it refuses
        them.
        """
        raise NotImplementedError

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        values = self.values(options)
        if dry_run:
            self.show(plan_round(admin=None, **values))
            return
        round = create_round(admin=None, **values)
        self.stdout.write(f"Round {round.pk} “{round.name}” is made.")
        if not deal_round(round.pk):
            self.stdout.write("A worker deals it. See manage.py round_status.")
            return
        round.refresh_from_db()
        questionnaire = questionnaire_of(round.questionnaire)
        dealt = round.items.filter(kind=ItemKind.ORDINARY).count()
        self.stdout.write(
            f"{plural(dealt, questionnaire.singular, questionnaire.plural)} dealt. Reviewers can begin."
        )
        self.say_left_out(round.left_out)

    def show(self, wanted: Wanted) -> None:
        """Print what the round would deal, to whom, and what it would leave out."""
        questionnaire = questionnaire_of(wanted.round.questionnaire)
        _, dealt, left_out = planned_deal(wanted)
        load = Counter(person for _, people in dealt for person in people)
        names = dict(User.objects.filter(pk__in=wanted.people).values_list("pk", "username"))
        self.stdout.write(f"{plural(len(dealt), questionnaire.singular, questionnaire.plural)} would be dealt.")
        for number, person in enumerate(wanted.people):
            self.stdout.write(f"{names[person]}: {plural(load[number], 'judgment')}.")
        self.say_left_out(left_out)
        self.stdout.write("No round was begun.")

    def say_left_out(self, counts: dict[str, int]) -> None:
        for reason in LeftOut:
            if counts.get(reason):
                self.stdout.write(f"Left out: {counts[reason]:,}, {reason.label}.")


class Command(BeginsRound):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="a name that people will recognise")
        parser.add_argument(
            "--runs", type=int, nargs="+", required=True, metavar="RUN", help="the runs whose responses are judged"
        )
        parser.add_argument("--reviewers", nargs="+", required=True, metavar="NAME", help="their user names")
        for name, what in NUMBERS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=what)
        parser.add_argument("--deadline", metavar="YYYY-MM-DD", help="the day by which the work is to be done (none)")
        parser.add_argument(
            "--consensus", choices=Consensus.values, help="the rule for a final verdict without adjudication"
        )
        for name, what in SWITCHES.items():
            # If omitted, the project's setting applies.
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", default=None, help=what)
        parser.add_argument(
            "--no-training", action="store_false", default=None, dest="with_training", help="without the training set"
        )
        parser.add_argument(
            "--optional-training",
            action="store_false",
            default=None,
            dest="training_required",
            help="the training set can be skipped",
        )
        add_dry_run(parser, "show the planned round without beginning it")

    def values(self, options: dict[str, Any]) -> dict[str, Any]:
        return filled_in(RoundForm, options).cleaned_data


def filled_in(make: Callable[..., F], options: dict[str, Any], **chosen: Any) -> F:
    """The form of the page with a command's options, and with the `chosen` values of fields that a command names
    differently. Raises CommandError if the form refuses them.
    """
    named = [composed(name) for name in options["reviewers"]]
    people = dict(User.objects.filter(username__in=named).values_list("username", "pk"))
    for name in named:
        if name not in people:
            raise Refusal(f"No person has the user name “{name}”. No round was made.")
    blank = make()
    data = {name: blank.get_initial_for_field(field, name) for name, field in blank.fields.items()}
    data |= {name: options[name] for name in data if options.get(name) is not None}
    data |= {"runs": [find_run(number).pk for number in options["runs"] or []], "reviewers": list(people.values())}
    form = make({name: value for name, value in (data | chosen).items() if value is not None})
    if not form.is_valid():
        problems = "; ".join(f"{name}: {' '.join(map(str, lines))}" for name, lines in form.errors.items())
        raise wrong_usage(problems)
    return form
