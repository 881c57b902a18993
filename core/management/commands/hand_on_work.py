"""Hand on the open work of a person who is away or leaves: unfinished tags return to the queue, open judgments and
decisions go to others. Drafts with text are kept, and the account stays open.
"""

from django.core.management.base import CommandParser

from ...accounts.people import hand_on_work
from ...files.commands import RuleCommand
from ...leaving.by_name import account_named, acting_admin


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME", help="the person's user name")
        parser.add_argument("--admin", metavar="USERNAME", help="the admin who does it, for the activity log")

    def handle(self, *, username: str, admin: str | None, **options) -> None:
        person = account_named(username)
        hand_on_work(person=person, admin=acting_admin(admin))
        self.stdout.write(f"The open work of {person} is handed on.")
