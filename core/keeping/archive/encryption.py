"""Encrypts an archive for a recipient, and decrypts it, by the program `age` or the library pyrage."""

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from ...refusals import Refusal

SUFFIX = ".age"
NEITHER = (
    "Archives are encrypted by age, which is not installed: install the program `age`, or the extra `encryption` "
    "(pip install pyrage)."
)


def is_encrypted(path: Path) -> bool:
    """Return whether the file is one of age's."""
    with path.open("rb") as file:
        return file.read(22).startswith((b"age-encryption.org/v1", b"-----BEGIN AGE ENCRYPT"))


def check_can_encrypt(recipient: str) -> None:
    """Raise Refusal if archives cannot be encrypted here, or the recipient is none."""
    if not recipient.startswith("age1"):
        raise Refusal(f"“{recipient}” is no recipient of age: it begins with age1. `age-keygen` makes one.")
    if shutil.which("age") is None and find_spec("pyrage") is None:
        raise Refusal(NEITHER)


def encrypt(source: Path, target: Path, recipient: str) -> None:
    """Encrypt a file. Raises Refusal if that fails."""
    check_can_encrypt(recipient)
    if shutil.which("age"):
        _age("--encrypt", "--recipient", recipient, "--output", str(target), str(source))
        return
    import pyrage  # only where it is needed

    try:
        pyrage.encrypt_file(str(source), str(target), [pyrage.x25519.Recipient.from_str(recipient)])
    except Exception as error:  # its own kinds have no common base
        raise Refusal(f"The archive could not be encrypted: {error}") from error


def decrypt(source: Path, target: Path, identity: Path | None) -> None:
    """Decrypt a file with the key in the file `identity`. Raises Refusal if that fails."""
    if identity is None:
        raise Refusal(f"{source} is encrypted: name the file with its key by --identity.")
    if shutil.which("age"):
        _age("--decrypt", "--identity", str(identity), "--output", str(target), str(source))
        return
    if find_spec("pyrage") is None:
        raise Refusal(NEITHER)
    import pyrage

    try:
        lines = [line.strip() for line in identity.read_text().splitlines()]
        keys = [pyrage.x25519.Identity.from_str(line) for line in lines if line.startswith("AGE-SECRET-KEY-")]
        pyrage.decrypt_file(str(source), str(target), keys)
    except Exception as error:
        raise Refusal(f"{source} could not be decrypted: {error}") from error


def _age(*options: str) -> None:
    done = subprocess.run(["age", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refusal(f"age failed: {' '.join(done.stderr.split())[:300]}")
