"""The archive's format: a tar file with parts, and a manifest with what each part has to be."""

import hashlib
import json
import tarfile
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from ...refusals import Refusal

FORMAT = 1
MANIFEST = "manifest.json"
FILES = "files/"
CHUNK = 1 << 20
# Everything that an archive does not have, for whoever restores it.
OUTSIDE = [
    ".env and the environment of web server and worker, with the keys of models and the passwords of servers",
    "secret_key in VAR_DIR, or SECRET_KEY: without it people sign in anew, and webhooks need new secrets",
    "folders with models on the worker's machine (LOCAL_...)",
]


@dataclass(slots=True)
class Manifest:
    """The content of an archive, and the site that it is of."""

    made_at: str
    version: str
    vendor: str
    server: str
    migrations: list[list[str]]
    rows: dict[str, int]
    folders: list[dict[str, object]]
    parts: dict[str, dict[str, object]] = field(default_factory=dict)
    outside: list[str] = field(default_factory=lambda: list(OUTSIDE))
    format: int = FORMAT

    @property
    def database(self) -> str:
        """The name of the part with the database."""
        return next(name for name in self.parts if name.startswith("database."))


class Hashed:
    """A file that is read through a SHA-256 sum."""

    def __init__(self, file: BinaryIO):
        self.file, self.sum = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.sum.update(data)
        return data


class Writer:
    """Writes an archive, part by part, the manifest last."""

    def __init__(self, file: BinaryIO, manifest: Manifest):
        self.tar = tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115 # closed by `end`
        self.manifest = manifest

    def add(self, name: str, path: Path) -> None:
        """Add a file. Raises OSError if it cannot be read."""
        with path.open("rb") as file:
            info = tarfile.TarInfo(name)
            state = path.stat()
            info.size, info.mtime, info.mode = state.st_size, int(state.st_mtime), 0o600
            hashed = Hashed(file)
            self.tar.addfile(info, cast(BinaryIO, hashed))
        self.manifest.parts[name] = {"bytes": info.size, "sha256": hashed.sum.hexdigest()}

    def end(self) -> None:
        text = json.dumps(asdict(self.manifest), ensure_ascii=False, indent=1).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size, info.mode = len(text), 0o600
        self.tar.addfile(info, BytesIO(text))
        self.tar.close()


class Reader:
    """An archive that was made by `Writer`. Raises Refusal for a file that is none."""

    def __init__(self, path: Path):
        try:
            self.tar = tarfile.open(path, mode="r:")  # noqa: SIM115 # closed by `close`
            member = self.tar.extractfile(MANIFEST)
            read = json.load(cast(BinaryIO, member))
            if read.get("format") != FORMAT:
                raise Refusal(f"{path} has a format that this version does not know: {read.get('format')}.")
            self.manifest = Manifest(**read)
        except (OSError, tarfile.TarError, KeyError, ValueError, TypeError, AttributeError) as error:
            raise Refusal(f"{path} is no archive of this program, or is cut short: {error}") from error

    def wrong(self) -> list[str]:
        """Say of each part that is missing, too much, or not as it was written, that it is so."""
        found = {member.name for member in self.tar if member.name != MANIFEST}
        wrong = [f"{name} is not in the manifest" for name in sorted(found - self.manifest.parts.keys())]
        for name, facts in self.manifest.parts.items():
            if name not in found:
                wrong.append(f"{name} is missing")
            elif self._sum(name) != facts["sha256"]:
                wrong.append(f"{name} is damaged")
        return wrong

    def _sum(self, name: str) -> str:
        hashed = hashlib.sha256()
        try:
            file = cast(BinaryIO, self.tar.extractfile(name))
            while data := file.read(CHUNK):
                hashed.update(data)
        except (OSError, tarfile.TarError):
            return ""
        return hashed.hexdigest()

    def extract(self, name: str, target: Path) -> None:
        """Write a part to a file, whatever path the archive gives it. Raises OSError."""
        target.parent.mkdir(parents=True, exist_ok=True)
        with cast(BinaryIO, self.tar.extractfile(name)) as source, target.open("wb") as file:
            while data := source.read(CHUNK):
                file.write(data)

    def close(self) -> None:
        self.tar.close()
