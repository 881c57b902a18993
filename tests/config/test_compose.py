"""docker-compose.yml, the Dockerfile, the units of systemd and `make env`: read by real parsers; commands are run.

No image is built here: there is no Docker engine. The commands of the containers are run as they are written.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compose_spec
import pytest
import requests
import yaml

from config.reading import make_env
from judging.models import LanguageModel
from tests.servers import services

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)["services"]
OURS = ("web", "worker", "clock")
# Fixed by the volumes of the containers.
FIXED = {"VAR_DIR"}
PASSWORD = "p1-Za9_x"


def interpolated(value: Any, given: dict[str, str]) -> Any:
    """A value as compose reads it: `${NAME:-default}` filled in, also where the default has variables, and $$ a $."""
    if isinstance(value, dict):
        return {key: interpolated(each, given) for key, each in value.items()}
    if isinstance(value, list):
        return [interpolated(each, given) for each in value]
    if not isinstance(value, str):
        return value
    value = value.replace("$$", "\0")
    innermost = re.compile(r"\$\{(\w+)(?::-([^${}]*))?\}")
    while match := innermost.search(value):
        value = value[: match.start()] + (given.get(match[1]) or match[2] or "") + value[match.end() :]
    return value.replace("\0", "$")


def documented() -> set[str]:
    cells = re.findall(r"^\| (`.+?) \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([A-Z_]+)`", cell)}


def test_a_real_parser_reads_it():
    # Its aliases and variables filled in, which is all that compose does before it looks.
    composed = compose_spec.PyCompose.from_json(json.dumps(yaml.safe_load(interpolated(TEXT, {}))))
    composed.validate()
    assert set(composed.service_names()) == {"web", "worker", "clock", "database", "broker", "proxy"}


@pytest.mark.parametrize("name", OURS)
def test_every_documented_setting_reaches_the_containers(name):
    service = SERVICES[name]
    assert service["env_file"] == ".env"
    chosen = {setting: f"value-of-{setting}" for setting in documented()}
    environment = chosen | interpolated(service["environment"], chosen)
    lost = {setting for setting in documented() if chosen[setting] not in environment[setting]}
    assert lost == FIXED


def test_the_password_of_the_database_is_one_secret_in_a_variable_or_in_a_file():
    for given in ({"POSTGRES_PASSWORD": "a"}, {"POSTGRES_PASSWORD_FILE": "/run/secrets/a"}):
        web = interpolated(SERVICES["web"]["environment"], given)
        database = interpolated(SERVICES["database"]["environment"], given)
        for end in ("", "_FILE"):
            assert web[f"DATABASE_PASSWORD{end}"] == database[f"POSTGRES_PASSWORD{end}"]
    assert "PASSWORD:-}" in TEXT
    assert not re.search(r"PASSWORD:-[^}$]", TEXT), "no password has a default"


@pytest.mark.parametrize("name", SERVICES)
def test_each_container_has_few_powers_and_limits(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert service["restart"] == "unless-stopped"
    assert name == "proxy" or service["user"] not in ("", "root", "0")
    assert name == "proxy" or service["healthcheck"]["test"]
    image = interpolated(service["image"], {})
    assert re.search(r"@sha256:[0-9a-f]{64}$|:local$", image), "a digest"
    volumes = [volume.split(":")[0] for volume in interpolated(service.get("volumes", []), {})]
    assert all(volume.startswith("./") or volume in yaml.safe_load(TEXT)["volumes"] for volume in volumes)


def test_only_the_proxy_is_reached_from_other_machines():
    published = {name: interpolated(each["ports"], {}) for name, each in SERVICES.items() if "ports" in each}
    assert published == {"web": ["127.0.0.1:8000:8000"], "proxy": ["80:80", "443:443", "443:443/udp"]}
    assert SERVICES["proxy"]["profiles"] == ["tls"]
    assert SERVICES["database"]["networks"] == SERVICES["broker"]["networks"] == ["inside"]


def test_a_worker_that_stops_has_longer_than_the_longest_time_out_of_a_model():
    seconds = compose_spec.parse_duration(interpolated(SERVICES["worker"]["stop_grace_period"], {}))
    longest = max(each.limit_value for each in LanguageModel._meta.get_field("timeout_seconds").validators)
    assert getattr(seconds, "total_seconds", lambda: seconds)() > longest
    unit = (ROOT / "deploy" / "systemd" / "workbench-worker.service").read_text()
    assert int(re.search(r"TimeoutStopSec=(\d+)min", unit)[1]) * 60 > longest


def test_one_clock_and_no_worker_with_another():
    clocks = [name for name, each in SERVICES.items() if " beat" in f" {' '.join(map(str, each.get('command', [])))}"]
    assert clocks == ["clock"]
    assert "--beat" not in TEXT.replace("(--beat)", "")


def test_the_dockerfile_passes_its_linter():
    linter = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    done = subprocess.run([linter, str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


@pytest.mark.parametrize("unit", sorted((ROOT / "deploy" / "systemd").glob("*.service")), ids=lambda path: path.stem)
def test_systemd_reads_its_units(unit, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd here")
    text = unit.read_text().replace("/opt/workbench/.venv/bin/python ", f"{sys.executable} ")
    (tmp_path / unit.name).write_text(re.sub(r"/opt/workbench/.venv/bin/\w+", sys.executable, text))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / unit.name)], capture_output=True, text=True, check=False
    )
    ours = [line for line in done.stderr.splitlines() if unit.name in line and "not found" not in line.lower()]
    assert ours == []


def test_units_and_compose_start_the_same_programs():
    for name in OURS:
        unit = (ROOT / "deploy" / "systemd" / f"workbench-{name}.service").read_text()
        program = "gunicorn config.wsgi" if name == "web" else f"celery --quiet -A config {unit.split('config ')[1]}"
        word = " ".join(program.split()[:5])
        assert word.removesuffix(" --bind") in " ".join(map(str, SERVICES[name]["command"])).replace(",", "")


def test_proxies_take_files_as_large_as_the_program_does():
    from django.conf import settings

    caddy = int(re.search(r"max_size (\d+)MB", (ROOT / "deploy" / "Caddyfile").read_text())[1])
    nginx = int(re.search(r"client_max_body_size (\d+)m", (ROOT / "deploy" / "nginx.conf").read_text())[1])
    assert min(caddy, nginx) * 1_000_000 > settings.IMPORT_MAX_BYTES


# --- make env ---


def answered(monkeypatch, tmp_path, *answers: str) -> dict[str, str]:
    """The variables of the file that `make env` writes for these answers."""
    given = iter(answers)
    monkeypatch.setattr("builtins.input", lambda question="": next(given))
    monkeypatch.setattr(make_env, "PATH", tmp_path / ".env")
    assert make_env.main() == 0
    lines = [line for line in (tmp_path / ".env").read_text().splitlines() if line and not line.startswith("#")]
    return {name: value.strip("'") for name, _, value in (line.partition("=") for line in lines)}


def test_make_env_asks_three_questions_and_closes_the_file(monkeypatch, tmp_path, capsys):
    found = answered(
        monkeypatch, tmp_path, "https://bad.example/", "bench.example.org", "me", "me@example.org", "api.openai.com"
    )
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600
    assert found["ALLOWED_HOSTS"] == found["DOMAIN"] == "bench.example.org"
    assert found["CSRF_TRUSTED_ORIGINS"] == found["SITE_ADDRESS"] == "https://bench.example.org"
    assert (found["WIKI_CONTACT"], found["LLM_ALLOWED_HOSTS"]) == ("me@example.org", "api.openai.com")
    assert "no https://" in capsys.readouterr().out
    before = (tmp_path / ".env").read_text()
    assert make_env.main() == 0
    assert (tmp_path / ".env").read_text() == before
    assert "is kept" in capsys.readouterr().out


def test_make_env_without_answers_is_for_this_machine_and_without_a_terminal_writes_nothing(monkeypatch, tmp_path):
    found = answered(monkeypatch, tmp_path, "", "", "")
    assert found["ALLOWED_HOSTS"] == "localhost"
    assert not {"HTTPS", "DOMAIN", "COMPOSE_PROFILES"} & found.keys()
    assert len({found["SECRET_KEY"], found["POSTGRES_PASSWORD"], found["REDIS_PASSWORD"]}) == 3
    (tmp_path / ".env").unlink()

    def ended(question: str = "") -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    assert make_env.main() == 1
    assert not (tmp_path / ".env").exists()


def test_make_env_needs_no_installed_package(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    command = ["make", "env", f"PYTHON={sys.executable} -S -E"]
    subprocess.run(command, cwd=tmp_path, input="\n\n\n", text=True, check=True, capture_output=True)
    assert "ALLOWED_HOSTS=localhost" in (tmp_path / ".env").read_text()


# --- The commands of the containers ---


class Containers:
    """Web, worker, clock and Redis, started by the commands of the file in the environment that it gives them."""

    def __init__(self, folder: Path, env: dict[str, str], postgres: services.Postgres) -> None:
        self.folder, self.env, self.postgres = folder, env, postgres
        self.redis_port, self.web_port = services.free_port(), services.free_port()
        self.running: list[subprocess.Popen] = []

    def environment(self, name: str) -> dict[str, str]:
        own = interpolated(SERVICES[name]["environment"], self.env)
        return self.env | own | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "VAR_DIR": str(self.folder),
            "DATABASE_URL": f"postgres://workbench@127.0.0.1:{self.postgres.port}/postgres",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": "/nowhere",
        }  # fmt: skip

    def command(self, part: Any) -> list[str]:
        changes = {
            "/tmp/redis.conf": f"{self.folder}/redis.conf",
            "dir /data": f"dir {self.folder}\\nbind 127.0.0.1\\nport {self.redis_port}",
            "redis-cli": f"redis-cli -p {self.redis_port}",
            "0.0.0.0:8000": f"127.0.0.1:{self.web_port}",
            "127.0.0.1:8000": f"127.0.0.1:{self.web_port}",
        }
        words = interpolated(part, self.env)
        for old, new in changes.items():
            words = [word.replace(old, new) for word in words]
        return words

    def start(self, name: str) -> None:
        command = self.command(SERVICES[name]["command"])
        self.running.append(subprocess.Popen(command, cwd=ROOT, env=self.environment(name)))

    def health(self, name: str) -> int:
        kind, *command = self.command(SERVICES[name]["healthcheck"]["test"])
        command = ["sh", "-c", *command] if kind == "CMD-SHELL" else command
        return subprocess.run(
            command, cwd=ROOT, env=self.environment(name), capture_output=True, check=False
        ).returncode

    def wait_for_health(self, name: str, seconds: float = 600.0) -> None:
        deadline = time.monotonic() + seconds
        while self.health(name) != 0:
            assert time.monotonic() < deadline, f"{name} is not well"
            time.sleep(0.5)

    def stop(self) -> None:
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            process.wait(60)


@pytest.fixture
def containers(monkeypatch, tmp_path) -> Iterator[Containers]:
    if problem := services.missing():
        if os.environ.get("CI") == "true":
            pytest.fail(problem)
        pytest.skip(f"{problem}; as root, .ci/services installs it")
    folder = Path(tempfile.mkdtemp(prefix="workbench-containers-"))
    written = answered(monkeypatch, tmp_path, "", "", "")
    postgres = services.Postgres()
    containers = Containers(folder, written | {"POSTGRES_PASSWORD": services.PASSWORD}, postgres)
    try:
        postgres.start()
        yield containers
    finally:
        containers.stop()
        postgres.remove()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.thorough
def test_the_commands_bring_up_a_site_in_which_every_part_works(containers):
    for name in ("broker", "web", "worker", "clock"):
        containers.start(name)
        containers.wait_for_health(name)
    address = f"http://127.0.0.1:{containers.web_port}"
    deadline = time.monotonic() + 120
    while (response := requests.get(f"{address}/ready/", timeout=30)).status_code != 200:
        assert time.monotonic() < deadline, response.text
        time.sleep(2)
    without = subprocess.run(
        ["redis-cli", "-p", str(containers.redis_port), "ping"], capture_output=True, text=True, check=False
    )
    assert "NOAUTH" in without.stdout + without.stderr
    clock = containers.running.pop()
    clock.kill()
    clock.wait()
    os.utime(next((containers.folder / "alive").glob("clock-*")), (0, 0))
    assert containers.health("clock") == 1
    assert containers.health("worker") == 0
