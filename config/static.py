"""Addresses of static files that change when the file does, so that no browser mixes two versions of a page."""

import hashlib
from functools import lru_cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage


@lru_cache(maxsize=256)
def content_version(path: str, modified_ns: int) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:10]


class VersionedStaticFiles(StaticFilesStorage):
    def url(self, name: str | None) -> str:
        path = finders.find(name) if name else None
        if not path:
            return super().url(name)
        return f"{super().url(name)}?v={content_version(path, Path(path).stat().st_mtime_ns)}"
