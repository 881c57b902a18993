"""Django's createsuperuser, which here checks every user name and password, and offers no way around it.

With --noinput, the password comes from the variable DJANGO_SUPERUSER_PASSWORD.
"""

import os
from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from ...accounts.usernames import is_deceptive
from ...files.commands import RuleCommand
from ...models import User

PASSWORD_VARIABLE = "DJANGO_SUPERUSER_PASSWORD"  # noqa: S105  # the name of a variable
DECEPTIVE = "Error: This user name mixes scripts, or looks like a name in another one. Choose another."


class Command(RuleCommand, createsuperuser.Command):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["interactive"]:
            self.check_given_password(**options)
        # Django would ask whether to take a weak password all the same.
        createsuperuser.input = self.answer  # type: ignore[attr-defined]
        try:
            super().handle(*args, **options)
        finally:
            del createsuperuser.input  # type: ignore[attr-defined]

    def answer(self, prompt: str = "") -> str:
        """The answer at the terminal; "no" to the question whether a weak password should be used."""
        return "n" if prompt.startswith("Bypass password validation") else input(prompt)

    def check_given_password(self, *, username: str | None = None, email: str | None = None, **options: Any) -> None:
        """Raises CommandError if the password in the environment is missing or weak."""
        password = os.environ.get(PASSWORD_VARIABLE, "")
        named = username or os.environ.get("DJANGO_SUPERUSER_USERNAME", "")
        person = User(username=named, email=email or os.environ.get("DJANGO_SUPERUSER_EMAIL", ""))
        if not password:
            raise CommandError(f"Set {PASSWORD_VARIABLE}: an admin without a password cannot sign in.")
        try:
            validate_password(password, person)
        except ValidationError as error:
            raise CommandError(f"{PASSWORD_VARIABLE}: {' '.join(error.messages)}") from None

    def _validate_username(self, username: str, verbose_field_name: str, database: str) -> str | None:
        problem = super()._validate_username(username, verbose_field_name, database)  # type: ignore[misc]
        if problem:
            return problem
        if User.objects.filter(username__iexact=username).exists():
            return f"Error: That {verbose_field_name} is already taken."
        return DECEPTIVE if is_deceptive(username) else None
