"""Bring the database up to date. On an empty one, make sample people and sample work."""

from django.core.management import call_command
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

from core.accounts.sample_people import (
    demo_people,
    has_later_preparations,
    make_demo_people,
    run_later_preparations,
    run_preparations,
)
from core.files.commands import RuleCommand, add_dry_run
from core.models import User
from core.schema.expected import migration_files
from core.schema.found import applied_migrations, found_columns
from core.schema.old_database import refuse_an_old_database
from core.words import plural

from ...models import Harvest, HarvestState
from ...samples.work import release_samples


def is_up_to_date() -> bool:
    """Return whether the database has had every migration. Asking takes a hundredth of the time that `migrate` takes
    to do nothing.
    """
    return bool(found_columns()) and applied_migrations() >= set(migration_files())


def migrations_to_apply() -> list[Migration]:
    """The migrations that `migrate` would apply."""
    executor = MigrationExecutor(connection)
    return [migration for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


class Command(RuleCommand):
    help = __doc__
    interrupted = "Finished steps are kept. Start it again to continue."
    # System checks import the whole program, and what starts next imports it again.
    requires_system_checks: list[str] = []
    needs_fitting_database = False  # it makes it fit

    def add_arguments(self, parser) -> None:
        parser.add_argument("--start", action="store_true", help="then start the site, as `up` does")
        add_dry_run(parser, "show which migrations would be applied, and change nothing")

    def handle(self, *, start: bool, dry_run: bool, **options) -> None:
        refuse_an_old_database()
        if dry_run:
            self.say_what_is_due()
        else:
            self.prepare(start)

    def say_what_is_due(self) -> None:
        due = migrations_to_apply()
        for migration in due:
            self.stdout.write(f"To be applied: {migration}")
        self.stdout.write(f"{plural(len(due), 'migration')} to apply. Nothing was changed.")

    def prepare(self, start: bool) -> None:
        if not is_up_to_date():
            call_command("migrate", interactive=False, verbosity=0)
        if not make_demo_people() and not User.objects.exists():
            self.stdout.write(
                "This site is open to other machines (HTTPS or ALLOWED_HOSTS is set), so no accounts for trying it "
                "out were made. Make the first admin: manage.py createsuperuser"
            )
        # Asked of the rows rather than the line above: a first start that was interrupted is finished by the next
        # one.
        if not Harvest.objects.exclude(state__in=HarvestState.open()).exists() and demo_people():
            # Importing all that reads wikitext takes as long as everything else here: later starts do without.
            from ...samples.articles import harvest_samples

            harvest = harvest_samples()
            self.stdout.write(
                f"New: an account for each role, {harvest.articles_new} sample articles, {harvest.tags_new} tags."
            )
        if release := release_samples():
            self.stdout.write(f"Release {release.number} of the sample articles.")
        for line in run_preparations():
            self.stdout.write(line)
        if start:
            # The rest of the samples is made while people already look at the first pages.
            call_command("up", finish_samples=has_later_preparations())
        elif has_later_preparations():
            for line in run_later_preparations():
                self.stdout.write(line)
