"""Take the names, address and ways to sign in of a closed account out of the site, for good. Work stays, as that of a
number; releases do not change; the activity log is shown without the names.
"""

from django.core.management.base import CommandError, CommandParser

from ...files.commands import Exit, RuleCommand, add_dry_run, perhaps_undone
from ...leaving.by_name import account_named, acting_admin
from ...leaving.pseudonyms import pseudonymise


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME", help="the person's user name")
        parser.add_argument("--yes", action="store_true", help="do it: it cannot be undone")
        parser.add_argument("--admin", metavar="USERNAME", help="the admin who does it, for the activity log")
        add_dry_run(parser)

    def handle(self, *, username: str, yes: bool, admin: str | None, dry_run: bool, **options: object) -> None:
        person = account_named(username)
        if not (yes or dry_run):
            message = f"This takes out the names of {person} for good. Repeat it with --yes."
            raise CommandError(message, returncode=Exit.WRONG_USAGE)
        with perhaps_undone(dry_run):
            name = pseudonymise(person=person, admin=acting_admin(admin) if admin else None)
        said = f"would be called {name}. Nothing was changed." if dry_run else f"is now called {name}."
        self.stdout.write(f"The person {said}")
