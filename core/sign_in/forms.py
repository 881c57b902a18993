"""The forms of allauth's pages, in this site's words."""

from typing import Any

from allauth.account.forms import ReauthenticateForm
from allauth.core import context
from allauth.core.internal import ratelimit
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as ReauthenticateByCodeForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    EditWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django import forms
from django.core.exceptions import ValidationError

from ..languages import say
from ..lists.json_field import JSONText

APP = "allauth.account"
CODE = {"autocomplete": "one-time-code", "inputmode": "text", "autocapitalize": "none", "spellcheck": "false"}


def _code_field(label: str, help_text: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        help_text=help_text,
        max_length=40,
        widget=forms.TextInput(attrs=CODE),
        error_messages={"required": "Enter a code."},
    )


class _Code:
    """A code from the app or a recovery code. Guesses are limited for each person, from wherever they come."""

    def clean_code(self) -> str:
        key = f"second factor of {self.user.pk}"  # type: ignore[attr-defined]
        used = ratelimit.consume(context.request, app=APP, action="second_factor", key=key)
        if not used:
            raise ValidationError(say("Too many codes were wrong. Wait an hour, or ask an admin."))
        code = super().clean_code()  # type: ignore[misc]
        used.rollback()
        return code


class CodeForm(_Code, AuthenticateForm):
    code = _code_field(say("Code"), say("From your authenticator app, or one of your recovery codes."))


class ConfirmByCodeForm(_Code, ReauthenticateByCodeForm):
    code = _code_field(say("Code"), say("From your authenticator app, or one of your recovery codes."))


class SetUpAppForm(_Code, ActivateTOTPForm):
    code = _code_field(say("Code from the app"), say("Six digits. It shows that the app has the right key."))


class ConfirmByPasswordForm(ReauthenticateForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""
        self.fields["password"].widget.attrs.pop("placeholder", None)


NAME_HELP = say("Such as “my telephone”, so that you can tell your passkeys apart.")


NOT_READ = say("The browser's answer could not be read. Try again.")


def _credential_field() -> JSONText:
    return JSONText(widget=forms.HiddenInput, error_messages={"required": NOT_READ, "invalid": NOT_READ})


class _Credential:
    """A browser's answer: what no passkey can have made is refused like a wrong one."""

    def clean_credential(self) -> Any:
        try:
            return super().clean_credential()  # type: ignore[misc]
        except (TypeError, ValueError, KeyError, AttributeError):
            raise ValidationError(NOT_READ) from None


class PasskeyForm(_Credential, AuthenticateWebAuthnForm):
    credential = _credential_field()


class SignInByPasskeyForm(_Credential, LoginWebAuthnForm):
    credential = _credential_field()


class ConfirmByPasskeyForm(_Credential, ReauthenticateWebAuthnForm):
    credential = _credential_field()


class AddPasskeyForm(AddWebAuthnForm):
    name = forms.CharField(label=say("Name"), required=False, max_length=100, help_text=NAME_HELP)
    passwordless = forms.BooleanField(
        label=say("Sign in with it alone"),
        required=False,
        initial=True,
        help_text=say("Without a password: the device asks for your fingerprint, face or PIN instead."),
    )
    credential = _credential_field()

    def clean(self) -> dict[str, Any]:
        try:
            return super().clean()
        except (TypeError, ValueError, KeyError, AttributeError):
            raise ValidationError(NOT_READ) from None


class RenamePasskeyForm(EditWebAuthnForm):
    name = forms.CharField(label=say("Name"), max_length=100, help_text=NAME_HELP)
