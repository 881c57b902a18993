"""Freeze all accepted annotations into the next release."""

from django.core.management.base import CommandParser

from core.files.commands import RuleCommand, add_dry_run
from core.words import plural

from ...kinds.registry import annotated
from ...releases.freezing import (
    changes_between,
    check_release,
    create_release,
    latest_release,
    snapshot_now,
    snapshot_of,
)


class Command(RuleCommand):
    help = __doc__
    interrupted = "A release is frozen as a whole or not at all; the Releases page lists those that are."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="a name that people will recognise")
        parser.add_argument("--notes", default="", help="notes, shown at the top of the datasheet")
        add_dry_run(parser, "show its contents and the changes since the last release, without freezing it")

    def handle(self, *, name: str, notes: str, dry_run: bool, **options) -> None:
        if dry_run:
            check_release(name=name)
            self.show_counts()
            return
        release = create_release(name=name, notes=notes, admin=None)
        tags, instances = release.records.count(), release.instances.count()
        counts = f"{plural(tags, 'tag')}, {plural(instances, 'instance')}"
        self.stdout.write(f"Release {release.number} “{release.name}” is frozen: {counts}.")
        self.stdout.write(f"Content hash: {release.content_hash}")

    def show_counts(self) -> None:
        last, now = latest_release(annotated().code), snapshot_now()
        self.stdout.write(f"It would hold {plural(len(now.tags), 'tag')}, {plural(len(now.instances), 'instance')}.")
        if last:
            changes = changes_between(snapshot_of(last), now)
            self.stdout.write(
                f"Compared with release {last.number}: {plural(len(changes.tags_added), 'tag')} more, "
                f"{len(changes.tags_removed):,} fewer, {len(changes.tags_changed):,} changed; "
                f"{plural(changes.instances_added, 'instance')} more, {changes.instances_removed:,} fewer."
            )
        self.stdout.write("Nothing was frozen.")
