"""Hand on the open work of a person who is away or leaves: unfinished tags return to the queue, open judgments and
decisions go to others. Drafts with text are kept, and the account stays open.
"""

from django.core.management.base import CommandParser

from ...accounts.people import hand_on_work
from ...files.commands import RuleCommand, add_dry_run, perhaps_undone
from ...leaving.by_name import account_named, acting_admin


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME", help="the person's user name")
        parser.add_argument("--admin", metavar="USERNAME", help="the admin who does it, for the activity log")
        add_dry_run(parser)

    def handle(self, *, username: str, admin: str | None, dry_run: bool, **options: object) -> None:
        person = account_named(username)
        with perhaps_undone(dry_run):
            hand_on_work(person=person, admin=acting_admin(admin))
        said = "would be handed on. Nothing was changed." if dry_run else "is handed on."
        self.stdout.write(f"The open work of {person} {said}")
