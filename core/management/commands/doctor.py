"""Say which parts of this site work, which do not, and what to do.

It looks at the database, the broker, worker and clock, the disk, waiting work, kept sums and backups, and asks wikis,
endpoints of models and the mail server for a connection. It exits with 0 if all is well, with 3 if there are only
warnings, and with 1 if a part failed or its state is unknown.

manage.py doctor --json | jq -r '.findings[] | select(.state != "ok") | .sentence'
"""

import json
from itertools import chain

from django.core.management.base import CommandError, CommandParser

from ...files.commands import Exit, RuleCommand
from ...health.checks import Finding, State, findings, worst
from ...sealing.verifying import verify_log
from ...words import plural

EXIT = {State.OK: Exit.DONE, State.WARNING: Exit.PARTLY}


class Command(RuleCommand):
    help = __doc__
    # Django's own checks load every page; a site that is ill should be looked at quickly.
    requires_system_checks: list[str] = []
    # A database that does not fit is one of the findings.
    needs_fitting_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="write the findings as JSON")
        parser.add_argument(
            "--whole-log",
            action="store_true",
            help="first verify every entry of the activity log, as each night",
        )
        parser.add_argument("--offline", action="store_true", help="do not connect to wikis, models or mail servers")

    def handle(self, *, json: bool, whole_log: bool, offline: bool, **options) -> None:
        if whole_log:
            verify_log()
        found = []
        for finding in chain(findings(far=False), () if offline else findings(far=True)):
            found.append(finding)
            if not json:  # at once: where a database does not answer, each check waits for it
                self.stdout.write(as_text(finding))
                self.stdout.flush()
        state = worst(found)
        if json:
            self.stdout.write(as_json(found, state))
        if state != State.OK:
            wrong = sum(finding.state != State.OK for finding in found)
            raise CommandError(
                f"{plural(wrong, 'part is', 'parts are')} not in order.", returncode=EXIT.get(state, 1)
            )


def as_json(found: list[Finding], state: State) -> str:
    listed = [finding.as_json() for finding in found]
    return json.dumps({"state": str(state), "findings": listed}, ensure_ascii=False, indent=1)


def as_text(finding: Finding) -> str:
    line = f"{finding.state:<8} {finding.name}: {finding.sentence}"
    if finding.todo and finding.state != State.OK:
        line += f"\n{'':<8} {finding.todo}"
    return line
