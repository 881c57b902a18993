"""Passwords that are refused in addition to those that Django refuses."""

from django.core.exceptions import ValidationError

from .sample_people import DEMO_PASSWORD


class NotThePrintedPassword:
    """Password validator: refuses the password that a first start prints, as everybody knows it."""

    def validate(self, password: str, user: object = None) -> None:
        if password == DEMO_PASSWORD:
            raise ValidationError("This password is printed in the program. Choose another.")

    def get_help_text(self) -> str:
        return "Your password cannot be the one that the program prints at its first start."
