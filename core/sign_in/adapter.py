"""Allauth's second factors, with this site's words, names and encryption."""

from base64 import urlsafe_b64encode
from hashlib import sha256

from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from ..models import Project, User


class SecondFactorAdapter(DefaultMFAAdapter):
    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "This code is not correct. A code from an app is valid for a minute, and works once."
    }

    def get_totp_issuer(self) -> str:
        """The name under which an app lists the account."""
        return Project.get().name

    def get_totp_label(self, user: User) -> str:
        return user.username

    def encrypt(self, text: str) -> str:
        """The text so that a copy of the database alone makes no codes: the key is derived from SECRET_KEY."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The text; "" if it was encrypted under another SECRET_KEY, so that no code matches."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return ""

    def generate_authenticator_name(self, user: User, type: str) -> str:
        return "Passkey"


def _cipher() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = (sha256(f"core.sign_in.second_factor {key}".encode()).digest() for key in keys)
    return MultiFernet([Fernet(urlsafe_b64encode(digest)) for digest in digests])
