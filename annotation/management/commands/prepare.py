"""Bring the database up to date; on an empty one, make people to try the roles with and harvest sample articles."""

from django.core.management import call_command
from django.core.management.base import BaseCommand

from annotation.demo import demo_people, make_demo_people, run_preparations
from annotation.models import Harvest, HarvestState
from annotation.samples import harvest_samples
from annotation.samples.work import release_samples


class Command(BaseCommand):
    help = __doc__

    def handle(self, **options) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        make_demo_people()
        # Asked of the rows, not of the line above: a first start that was interrupted is finished by the next one.
        if not Harvest.objects.exclude(state__in=HarvestState.open()).exists() and demo_people():
            harvest = harvest_samples()
            self.stdout.write(
                f"New here: people for each role, {harvest.articles_new} sample articles, {harvest.tags_new} tags."
            )
        if release := release_samples():
            self.stdout.write(f"Release {release.number} of the sample articles.")
        for line in run_preparations():
            self.stdout.write(line)
