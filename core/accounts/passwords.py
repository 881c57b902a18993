"""What a password may not be, besides what Django refuses."""

from django.core.exceptions import ValidationError

from .sample_people import DEMO_PASSWORD


class NotThePrintedPassword:
    """A validator of passwords: the one that a first start prints is known to everybody."""

    def validate(self, password: str, user: object = None) -> None:
        if password == DEMO_PASSWORD:
            raise ValidationError("This password is printed in the program. Choose another.")

    def get_help_text(self) -> str:
        return "Your password cannot be the one that the program prints at its first start."
