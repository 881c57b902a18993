"""Fixtures of the real MediaWiki: loaded by the conftest of all tests."""

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotation.mediawiki import Wiki
from tests.annotation.wiki_helpers import Pauses
from tests.mediawiki.content import all_pages
from tests.mediawiki.server import MediaWiki, missing, recipe


@pytest.fixture(scope="session")
def prepared_wiki(pytestconfig: pytest.Config) -> Path:
    """The folder of a wiki that is installed and filled once."""
    if problem := missing():
        if os.environ.get("CI") == "true":
            pytest.fail(f"no MediaWiki for the tests: {problem}")
        pytest.skip(f"no MediaWiki for the tests ({problem}); as root, .ci/services installs it")
    return prepared(pytestconfig.cache.mkdir("mediawiki"))


@pytest.fixture(scope="session")
def mediawiki_server(prepared_wiki: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MediaWiki]:
    """A running wiki of this session's own, copied from that one."""
    folder = tmp_path_factory.mktemp("mediawiki") / "wiki"
    shutil.copytree(prepared_wiki, folder)
    server = MediaWiki(folder)
    server.start()
    yield server
    server.stop()


def prepared(cache: Path) -> Path:
    """The filled wiki; made anew when its pages or its set-up have changed."""
    pages = list(all_pages())
    folder = cache / recipe(pages)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may start at once
        if not folder.exists():
            part = cache / "part"
            shutil.rmtree(part, ignore_errors=True)
            server = MediaWiki(part)
            server.install()
            server.add(pages)
            for old in cache.iterdir():
                if old.is_dir() and old != part:
                    shutil.rmtree(old)
            part.rename(folder)
    return folder


@pytest.fixture
def wiki(mediawiki_server: MediaWiki, prepared_wiki: Path) -> Iterator[MediaWiki]:
    """The wiki with no lever pulled and no request counted. What a test does to its pages is undone."""
    mediawiki_server.reset()
    yield mediawiki_server
    put_back(prepared_wiki, mediawiki_server.folder)
    mediawiki_server.reset()


def put_back(kept: Path, folder: Path) -> None:
    """All that the wiki holds as it was kept, with its caches. Much faster than to have it delete its pages."""
    for path in kept.glob("*.sqlite"):
        with closing(sqlite3.connect(path)) as before, closing(sqlite3.connect(folder / path.name)) as now:
            now.execute("PRAGMA synchronous=OFF")
            before.backup(now)


@pytest.fixture
def client_pauses() -> Pauses:
    """Give it as `sleep`: it notes how long was waited, and does not wait."""
    return Pauses()


@pytest.fixture
def wiki_client(wiki: MediaWiki, client_pauses: Pauses) -> Wiki:
    return Wiki(wiki.api_url, contact="people@example.org", sleep=client_pauses)
