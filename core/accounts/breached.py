"""Passwords that are known from break-ins, from an offline copy of a list: nothing is ever sent anywhere."""

import os
from hashlib import sha1
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.exceptions import ValidationError

from ..languages import say

PREFIX = 5


class NotBreached:
    """Password validator: refuses passwords in the list that BREACHED_PASSWORDS names, if it names one."""

    def validate(self, password: str, user: object = None) -> None:
        if settings.BREACHED_PASSWORDS and is_listed(password, settings.BREACHED_PASSWORDS):
            raise ValidationError(say("This password is known from a break-in at another site. Choose another one."))

    def get_help_text(self) -> str:
        return say("Choose a password that is not known from break-ins at other sites.")


def is_listed(password: str, path: Path) -> bool:
    """Return whether the list has the SHA-1 hash of this password.

    Args:
        password: the password.
        path: a file with a line for each hash, in order, or a folder with a file for each five first characters of
            hashes, which has the remaining ones. What comes after a colon is ignored.
    """
    found = sha1(password.encode(), usedforsecurity=False).hexdigest().upper()
    if not path.is_dir():
        with path.open("rb") as file:
            return _has_line(file, found.encode())
    part = path / f"{found[:PREFIX]}.txt"
    part = part if part.exists() else path / found[:PREFIX]
    if not part.exists():
        return False
    with part.open() as lines:
        return any(_hash_in(line.encode()) == found[PREFIX:].encode() for line in lines)


def _has_line(file: BinaryIO, wanted: bytes) -> bool:
    """Look for a hash in a file of lines in order, which may be many gigabytes, by halving."""
    low, high = 0, file.seek(0, os.SEEK_END)
    while low < high:
        middle = (low + high) // 2
        file.seek(middle)
        if middle:
            file.readline()  # the rest of a line
        begins = file.tell()
        line = _hash_in(file.readline())
        if line == wanted:
            return True
        if not line or line > wanted:
            high = middle
        else:
            low = max(begins, middle + 1)
    file.seek(0)
    return _hash_in(file.readline()) == wanted


def _hash_in(line: bytes) -> bytes:
    return line.partition(b":")[0].strip().upper()
