"""Passwords that are refused in addition to those that Django refuses."""

from django.core.exceptions import ValidationError

from .sample_people import DEMO_PASSWORD


class NotThePrintedPassword:
    """Password validator: refuses the password that a first start prints, as everybody knows it."""

    def validate(self, password: str, user: object = None) -> None:
        if password == DEMO_PASSWORD:
            raise ValidationError("This password is public. Choose another one.")

    def get_help_text(self) -> str:
        return "Choose a password other than the one shown when the program first starts."
