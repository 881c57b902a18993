"""Installs, fills, starts and stops a MediaWiki of Debian's package, with SQLite and PHP's built-in server."""

import hashlib
import ipaddress
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psutil
import requests

from tests.mediawiki.dumpfile import Page, write_dump
from tests.servers.services import free_port

HERE = Path(__file__).parent
MEDIAWIKI = Path("/usr/share/mediawiki")
PHP_MODULES = {"pdo_sqlite", "mbstring", "xml", "intl"}


def missing() -> str:
    """Programs that this machine lacks to run a MediaWiki; empty if it has all."""
    if not shutil.which("php"):
        return "php is not installed"
    if not (MEDIAWIKI / "maintenance" / "install.php").exists():
        return "Debian's mediawiki package is not installed"
    modules = set(subprocess.run(["php", "-m"], capture_output=True, text=True).stdout.lower().split())
    if PHP_MODULES - modules:
        return f"PHP lacks {', '.join(sorted(PHP_MODULES - modules))}"
    return ""


def recipe(pages: Iterable[Page]) -> str:
    """A name for the wiki made of these pages, this set-up, and the installed MediaWiki."""
    digest = hashlib.sha256()
    for name in ("server.py", "settings.php", "dumpfile.py"):
        digest.update((HERE / name).read_bytes())
    digest.update((MEDIAWIKI / "includes" / "Defines.php").read_bytes())
    digest.update(repr(list(pages)).encode())
    return digest.hexdigest()[:16]


class MediaWiki:
    """One wiki in one folder. The levers change how it answers from the next request on."""

    def __init__(self, folder: Path, port: int = 0):
        self.folder = folder
        self.port = port or free_port()

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/w/api.php"

    # --- Set-up ---------------------------------------------------------------------------------------------

    def install(self) -> None:
        for name in ("cache", "images", "levers"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        storage = {"--dbtype": "sqlite", "--dbname": "wiki", "--dbpath": self.folder, "--confpath": self.folder}
        words = {"--server": "http://127.0.0.1", "--scriptpath": "", "--lang": "en", "--pass": "only for tests 2024"}
        arguments = [str(part) for pair in (storage | words).items() for part in pair]
        self._run("install.php", *arguments, "Wikipedia", "Keeper", configured=False)
        with (self.folder / "LocalSettings.php").open("a") as file:
            file.write((HERE / "settings.php").read_text())

    def add(self, pages: Iterable[Page]) -> None:
        """Imports the pages and brings links and categories up to date. The wiki must not be serving."""
        path = write_dump(self.folder / "pages.xml", pages)
        self.add_dump(path)
        path.unlink()

    def add_dump(self, path: Path) -> None:
        self._run("importDump.php", "--quiet", "--no-updates", "--username-prefix=imported", str(path))
        self._name_editors()
        self._run("refreshLinks.php")
        self._run("runJobs.php", "--quiet")

    def _name_editors(self) -> None:
        """importDump.php calls unknown editors "imported>Name"; they get the plain name of the dump back."""
        with self.database() as database:
            actors = database.execute(
                "SELECT actor_id, CAST(actor_name AS TEXT) FROM actor"
                " WHERE CAST(actor_name AS TEXT) LIKE 'imported>%'"
            ).fetchall()
            for actor, prefixed in actors:
                name = prefixed.partition(">")[2]
                account = None if is_address(name) else self._account(database, name)
                database.execute(
                    "UPDATE actor SET actor_user = ?, actor_name = CAST(? AS BLOB) WHERE actor_id = ?",
                    (account, name, actor),
                )

    @staticmethod
    def _account(database: sqlite3.Connection, name: str) -> int | None:
        return database.execute(
            "INSERT INTO user (user_name, user_password, user_newpassword, user_email, user_touched)"
            " VALUES (CAST(? AS BLOB), '', '', '', '20240101000000')",
            (name,),
        ).lastrowid

    # --- Serving --------------------------------------------------------------------------------------------

    def start(self, *, workers: int = 1, outlive: bool = False) -> None:
        """Serves until `stop`, and unless it may `outlive` this process, no longer than that."""
        command = [*self._php(), "-d", "memory_limit=1G", "-d", "zlib.output_compression=On"]
        command += ["-d", "display_errors=stderr"]
        command += ["-S", f"127.0.0.1:{self.port}", "-t", str(MEDIAWIKI), str(HERE / "router.php")]
        if not outlive and shutil.which("setpriv"):
            command = ["setpriv", "--pdeathsig", "KILL", *command]
        environment = self._environment()
        if workers > 1:
            environment["PHP_CLI_SERVER_WORKERS"] = str(workers)
        with (self.folder / "server.log").open("ab") as log:
            server = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        identity = {"pid": server.pid, "started": psutil.Process(server.pid).create_time(), "port": self.port}
        (self.folder / "server.json").write_text(json.dumps(identity))
        for _ in range(600):
            if server.poll() is not None:
                break
            try:
                if "MediaWiki" in requests.get(f"{self.api_url}?action=query&meta=siteinfo&format=json").text:
                    return
            except requests.ConnectionError:
                pass
            time.sleep(0.2)
        raise RuntimeError(f"The wiki does not answer: {(self.folder / 'server.log').read_text()[-2000:]}")

    def stop(self) -> bool:
        """Ends the server that `start` began, and no other process that has its number by now."""
        path = self.folder / "server.json"
        if not path.exists():
            return False
        identity = json.loads(path.read_text())
        path.unlink()
        try:
            server = psutil.Process(identity["pid"])
            if abs(server.create_time() - identity["started"]) > 0.1:
                return False
            os.killpg(server.pid, signal.SIGKILL)
            server.wait(5)
        except (psutil.NoSuchProcess, ProcessLookupError):
            return False
        return True

    # --- Levers ---------------------------------------------------------------------------------------------

    def lag(self, seconds: float) -> None:
        """A `maxlag` below this is refused, as on a wiki whose replicas are behind."""
        self._lever("lag", seconds)

    def cut_replies_at(self, size: int) -> None:
        """Replies hold at most this many bytes, as they do at 8 MiB otherwise."""
        self._lever("reply_bytes", size)

    def require_user_agent(self) -> None:
        self._lever("require_user_agent", "")

    def fault(self, answer: str, *, every: int = 1, times: int | None = None, **details: Any) -> None:
        """Every n-th request is answered wrongly, this many times: see router.php for the answers."""
        fault = {"answer": answer, "every": every, **details} | ({"times": times} if times else {})
        self._lever("fault", json.dumps(fault))

    def let_go(self) -> None:
        """No fault from now on; a held request is answered."""
        (self.folder / "levers" / "fault").unlink()

    def reset(self) -> None:
        """No lever pulled, no request counted."""
        for path in (self.folder / "levers").iterdir():
            path.unlink()
        (self.folder / "requests.log").write_text("")

    def requests(self) -> list[dict[str, Any]]:
        """The API requests since `reset`, oldest first: time, method, user_agent, encoding, parameters."""
        return [json.loads(line) for line in (self.folder / "requests.log").read_text().splitlines()]

    def _lever(self, name: str, value: object) -> None:
        path = self.folder / "levers" / name
        part = path.with_suffix(".part")
        part.write_text(str(value))
        part.rename(path)

    # --- Editors' work --------------------------------------------------------------------------------------

    def edit(self, title: str, text: str) -> None:
        """A new revision of a page, or a new page, with the categories and templates that it is listed under. Pages
        that show it are not brought up to date with it."""
        self._run("edit.php", "--user", "Keeper", "--summary", "edit", title, stdin=text)

    def delete(self, title: str) -> None:
        listed = self.folder / "delete.txt"
        listed.write_text(title)
        self._run("deleteBatch.php", "-u", "Keeper", str(listed))

    def move(self, title: str, new_title: str) -> None:
        """Renames a page and leaves no redirect behind."""
        listed = self.folder / "move.txt"
        listed.write_text(f"{title}|{new_title}\n")
        self._run("moveBatch.php", "-u", "Keeper", "--noredirects", str(listed))

    def export(self, *, history: bool = False) -> str:
        """The XML dump that MediaWiki itself writes."""
        return self._run("dumpBackup.php", "--full" if history else "--current", "--quiet")

    def database(self) -> sqlite3.Connection:
        return sqlite3.connect(self.folder / "wiki.sqlite", timeout=30)

    def _php(self) -> list[str]:
        """PHP, which keeps what it compiled for the next process: most of what a short one does."""
        kept = self.folder / "compiled"
        kept.mkdir(parents=True, exist_ok=True)
        return ["php", "-d", "opcache.enable_cli=1", "-d", f"opcache.file_cache={kept}"]

    def _environment(self, *, configured: bool = True) -> dict[str, str]:
        environment = os.environ | {"WIKI_FOLDER": str(self.folder), "WIKI_PORT": str(self.port)}
        return environment | ({"MW_CONFIG_FILE": str(self.folder / "LocalSettings.php")} if configured else {})

    def _run(self, script: str, *arguments: str, stdin: str = "", configured: bool = True) -> str:
        done = subprocess.run(
            [*self._php(), str(MEDIAWIKI / "maintenance" / script), *arguments],
            input=stdin,
            env=self._environment(configured=configured),
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"{script}: {done.stdout[-2000:]} {done.stderr[-2000:]}")
        return done.stdout


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
