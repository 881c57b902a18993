"""The version of the static files. It is part of their addresses, so no browser mixes two versions."""

import hashlib
from pathlib import Path


def version_of(folder: Path) -> str:
    """Ten hexadecimal digits that change when a file in the folder is changed, added, renamed or removed."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder)}\n{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:10]
