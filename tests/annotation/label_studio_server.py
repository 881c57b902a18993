"""Label Studio as a server that others wrote: installed into an environment of its own, started on a database of its
own, without network. It is how our files are read and written by the program that they are for."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import requests

from tests.environments import FOLDER
from tests.servers.services import free_port

# On a machine that is busy with other tests.
SECONDS_TO_START = 900.0
# Without it Label Studio drops drafts from what it imports.
DRAFTS = "fflag_feat_back_lsdv_5307_import_reviews_drafts_29062023_short"
ADMIN, PASSWORD = "lead@example.org", "of-the-third-party-test"
TOKEN = "0123456789abcdef0123456789abcdef01234567"


class LabelStudio:
    """The server as a process of its own: `with LabelStudio(environment("label_studio"), folder) as server: ...`."""

    def __init__(self, environment: Path, folder: Path):
        self.python = environment / "bin" / "python"
        self.folder, self.log = folder, folder / "label_studio.log"
        self.port = free_port()
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Token {TOKEN}"

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "LabelStudio":
        # Nothing of our own environment: it would take our settings for its own. It reports nothing home.
        env = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder), "DEBUG": "false"}
        env |= {
            "LABEL_STUDIO_BASE_DATA_DIR": str(self.folder),
            "COLLECT_ANALYTICS": "false",
            "LATEST_VERSION_CHECK": "false",
            "SENTRY_DSN": "",
            "FRONTEND_SENTRY_DSN": "",
            DRAFTS: "true",
        }
        command = [str(self.python), str(FOLDER / "label_studio" / "serve.py"), "start", "--no-browser"]
        command += ["--port", str(self.port), "--log-level", "ERROR", "--internal-host", "127.0.0.1"]
        command += ["--username", ADMIN, "--password", PASSWORD, "--user-token", TOKEN]
        command += ["--enable-legacy-api-token"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, env=env, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        try:
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait(self) -> None:
        deadline = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if self.session.get(f"{self.base_url}/health", timeout=5).status_code == 200:
                    return
            except (requests.ConnectionError, requests.Timeout):
                time.sleep(0.2)
        raise RuntimeError(f"Label Studio did not start: {self.log.read_text()[-2000:]}")

    def __exit__(self, *exc: object) -> None:
        self.process.kill()
        self.process.wait()
        self.session.close()

    def call(self, method: str, path: str, **options: Any) -> Any:
        """The API's answer as a value. Raises HTTPError with its words."""
        answer = self.session.request(method, f"{self.base_url}/api/{path}", timeout=120, **options)
        if not answer.ok:
            raise requests.HTTPError(f"{path}: {answer.status_code} {answer.text[:2000]}", response=answer)
        return answer.json() if answer.content else None

    def make_person(self, email: str) -> int:
        return self.call("POST", "users", json={"email": email, "username": email})["id"]

    def make_project(self, config: str, title: str = "Contradictions") -> int:
        return self.call("POST", "projects", json={"title": title, "label_config": config})["id"]

    def import_tasks(self, project: int, tasks: str) -> dict[str, Any]:
        files = {"file": ("tasks.json", tasks.encode(), "application/json")}
        return self.call("POST", f"projects/{project}/import", files=files)

    def export(self, project: int, form: str) -> list[dict[str, Any]]:
        options = {"exportType": form, "download_all_tasks": "true"}
        return self.call("GET", f"projects/{project}/export", params=options)

    def users(self) -> list[dict[str, Any]]:
        return self.call("GET", "users")
