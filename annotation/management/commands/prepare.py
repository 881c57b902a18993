"""Bring the database up to date; on an empty one, make people to try the roles with and harvest sample articles."""

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core.accounts.sample_people import demo_people, make_demo_people, run_preparations
from core.files.commands import RuleCommand
from core.models import User
from core.old_database import refuse_an_old_database

from ...models import Harvest, HarvestState
from ...samples.work import release_samples


def has_migrations_to_apply() -> bool:
    """Whether `migrate` would change the database. Asking takes a tenth of the time that `migrate` takes to do
    nothing."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


class Command(RuleCommand):
    help = __doc__
    # System checks import the whole program, and what starts next imports it again.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser) -> None:
        parser.add_argument("--start", action="store_true", help="then start the site, as `up` does")

    def handle(self, *, start: bool, **options) -> None:
        refuse_an_old_database()
        if has_migrations_to_apply():
            call_command("migrate", interactive=False, verbosity=0)
        if not make_demo_people() and not User.objects.exists():
            self.stdout.write(
                "This site is not for this machine only (HTTPS or ALLOWED_HOSTS), so no people to try it with were "
                "made. Make the first admin: manage.py createsuperuser"
            )
        # Asked of the rows rather than the line above: a first start that was interrupted is finished by the next
        # one.
        if not Harvest.objects.exclude(state__in=HarvestState.open()).exists() and demo_people():
            # Importing all that reads wikitext takes as long as everything else here: later starts do without.
            from ...samples.articles import harvest_samples

            harvest = harvest_samples()
            self.stdout.write(
                f"New here: people for each role, {harvest.articles_new} sample articles, {harvest.tags_new} tags."
            )
        if release := release_samples():
            self.stdout.write(f"Release {release.number} of the sample articles.")
        for line in run_preparations():
            self.stdout.write(line)
        if start:
            call_command("up")
