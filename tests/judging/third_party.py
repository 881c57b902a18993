"""LiteLLM's proxy as a server that others wrote: installed into an environment of its own, started with mock replies.

It pins an older `openai` than ours, so it cannot live in our environment. What it answers is in `MODELS`: the proxy
makes these replies and errors itself and calls nobody.
"""

import json
import os
import secrets
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx2

from tests.servers.services import free_port

FOLDER = Path(__file__).parents[1] / "environments" / "litellm"
GOOD_KEY = "sk-of-the-third-party-test"
# Imports of a hundred packages, on a machine that is busy with other tests.
SECONDS_TO_START = 240.0


def completion(text: str, finish_reason: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}], "usage": usage}


# Name of a model to what its calls meet.
MODELS: dict[str, dict[str, Any]] = {
    "good": {"mock_response": "The bridge opened in 1903, or in 1899."},
    "slow": {"mock_response": "The bridge opened in 1903.", "mock_delay": 0.5},
    "too slow": {"mock_response": "Late.", "mock_delay": 30},
    "cut": {"mock_response": completion("The bridge", "length")},
    "filtered": {"mock_response": completion("", "content_filter")},
    "limited": {"mock_response": "litellm.RateLimitError"},
    "broken": {"mock_response": "litellm.InternalServerError"},
    "time-out behind": {"mock_response": "Never.", "mock_timeout": True, "timeout": 0.2},
    "too long": {"mock_response": "litellm.ContextWindowExceededError"},
    "judge": {"mock_response": "Comment: It names one year only.\nevaluation: partially correct"},
}
CONFIG = {
    "model_list": [
        {"model_name": name, "litellm_params": {"model": "openai/mock", "api_key": "none", **params}}
        for name, params in MODELS.items()
    ],
    # Its own retries would hide from us what we are here to see.
    "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    "litellm_settings": {"num_retries": 0, "telemetry": False},
    "general_settings": {"custom_auth": "check_key.check_key", "master_key": f"sk-{secrets.token_hex(16)}"},
}


class ThirdPartyServer:
    """The proxy as a process of its own: `with ThirdPartyServer(environment("litellm"), folder) as server: ...`."""

    def __init__(self, environment: Path, folder: Path):
        self.python = environment / "bin" / "python"
        self.folder = folder
        self.log = folder / "litellm.log"
        self.port = free_port()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> "ThirdPartyServer":
        config = self.folder / "config.yaml"
        config.write_text(json.dumps(CONFIG))  # JSON is YAML
        shutil.copy(FOLDER / "check_key.py", self.folder)
        command = [str(self.python), "-c", "from litellm.proxy.proxy_cli import run_server; run_server()"]
        command += ["--config", str(config), "--host", "127.0.0.1", "--port", str(self.port)]
        # Nothing of our own environment: it would take DATABASE_URL for its own.
        env = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder), "LITELLM_LOG": "ERROR"}
        env["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network for prices
        env["GOOD_KEY"] = GOOD_KEY
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, env=env, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait(self) -> None:
        deadline = time.monotonic() + SECONDS_TO_START
        with httpx2.Client(timeout=5) as client:  # one, as each would read all certificates anew
            while time.monotonic() < deadline and self.process.poll() is None:
                try:
                    if client.get(f"http://127.0.0.1:{self.port}/health/liveliness").status_code == 200:
                        return
                except httpx2.TransportError:
                    time.sleep(0.2)
        raise RuntimeError(f"LiteLLM did not start: {self.log.read_text()[-2000:]}")

    def __exit__(self, *exc: object) -> None:
        self.process.kill()  # asked to end, it would first finish its slow answers
        self.process.wait()
