"""Write what the site keeps about a person into a JSON file, for that person: account, ways to sign in, work, log."""

import os
from pathlib import Path

from django.core.management.base import CommandParser

from ...files.commands import RuleCommand
from ...leaving.by_name import account_named
from ...leaving.own_data import data_of
from ...web.files import as_json


class Command(RuleCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USERNAME", help="the person's user name")
        parser.add_argument("--output", metavar="FILE", type=Path, required=True, help="the file, closed to others")

    def handle(self, *, username: str, output: Path, **options) -> None:
        person = account_named(username)
        content = as_json(data_of(person, reader=person))
        with os.fdopen(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(content)
        self.stdout.write(f"The data of {person} is in {output}.")
