"""Passwords that are known from break-ins, from a list on this machine."""

from hashlib import sha1

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from config.reading.environment import BadSetting, Environment
from core.accounts.breached import is_listed

KNOWN = [f"five green bridges {number}" for number in range(200)]


def hashed(password: str) -> str:
    return sha1(password.encode()).hexdigest().upper()


@pytest.fixture(params=["file", "folder", "folder without endings"])
def known(request, tmp_path):
    """The list in each of its shapes."""
    lines = sorted(f"{hashed(password)}:{number}" for number, password in enumerate(KNOWN))
    if request.param == "file":
        path = tmp_path / "pwned.txt"
        path.write_text("\r\n".join(lines))
        return path
    ending = ".txt" if request.param == "folder" else ""
    for line in lines:
        with (tmp_path / f"{line[:5]}{ending}").open("a") as file:
            file.write(f"{line[5:]}\n")
    return tmp_path


def test_each_password_of_the_list_is_found_and_no_other(known):
    assert [password for password in KNOWN if not is_listed(password, known)] == []
    assert [n for n in range(200, 1000) if is_listed(f"five green bridges {n}", known)] == []


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_a_very_short_list(tmp_path, count):
    path = tmp_path / "pwned.txt"
    path.write_text("".join(f"{line}\n" for line in sorted(map(hashed, KNOWN[:count]))))
    assert [is_listed(password, path) for password in KNOWN[:4]] == [number < count for number in range(4)]


def test_nobody_can_choose_one(known, settings):
    settings.BREACHED_PASSWORDS = known
    with pytest.raises(ValidationError, match="break-in"):
        validate_password(KNOWN[7])
    validate_password("seven green bridges")


def test_without_a_list_none_is_looked_for(settings):
    settings.BREACHED_PASSWORDS = None
    validate_password(KNOWN[7])


def test_a_list_that_is_not_there_is_told_at_the_start(monkeypatch):
    monkeypatch.setenv("BREACHED_PASSWORDS", "/nowhere/pwned.txt")
    with pytest.raises(BadSetting, match="no file or folder"):
        Environment().existing("BREACHED_PASSWORDS")
