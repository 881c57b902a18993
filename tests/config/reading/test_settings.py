"""Settings from the environment and from files: wrong ones are refused in a sentence; passwords may be any text."""

import ast
import getpass
import os
import runpy
import subprocess
import sys
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command

from config.reading.addresses import is_host, is_origin, with_password, with_quoted_password
from config.reading.environment import BadSetting, Environment
from core.models import User
from tests.config.reading.test_environment import GOOD_KEY, NET, NOT_HANDED_ON, environment, manage

ROOT = Path(__file__).parents[3]
HARD = ["p@ss", "p#ss", "p/ss", "p?ss", "a:b@c/d#e?f", "$HOME", "50%off", "100%", "[x]", "a&b=c", "ü ö", "'\"\\"]


@pytest.fixture
def environ(monkeypatch):
    for name in (*NOT_HANDED_ON, "DATABASE_PASSWORD", "REDIS_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize("password", HARD)
def test_a_password_with_any_character_reaches_the_database(environ, password):
    environ.setenv("DATABASE_URL", f"postgres://workbench:{password}@db.example:5433/bench")
    found = Environment().database("DATABASE_URL", "")
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example", 5433, "bench")
    assert (found["USER"], found["PASSWORD"]) == ("workbench", password)


def test_a_password_that_is_percent_encoded_is_still_read(environ):
    environ.setenv("DATABASE_URL", "postgres://workbench:p%40s%23s@db.example/bench")
    assert Environment().database("DATABASE_URL", "")["PASSWORD"] == "p@s#s"


@pytest.mark.parametrize("password", HARD)
def test_the_password_may_stand_apart(environ, tmp_path, password):
    (tmp_path / "secret").write_text(f"{password}\n")
    environ.setenv("DATABASE_URL", "postgres://workbench@db.example/bench")
    environ.setenv("DATABASE_PASSWORD_FILE", str(tmp_path / "secret"))
    environ.setenv("DATABASE_PASSWORD", "")
    env = Environment()
    found = env.database("DATABASE_URL", "", password=env.text("DATABASE_PASSWORD"))
    assert (found["HOST"], found["USER"], found["PASSWORD"]) == ("db.example", "workbench", password)


@pytest.mark.parametrize("password", HARD)
def test_redis_is_asked_at_the_right_host_whatever_its_password(environ, password):
    for url, apart in ((f"redis://:{password}@broker.example:6379/0", ""), ("redis://broker.example/0", password)):
        environ.setenv("CELERY_BROKER_URL", url)
        parts = urlsplit(Environment().broker("CELERY_BROKER_URL", "", password=apart))
        assert (parts.hostname, parts.path) == ("broker.example", "/0")
        assert parts.password


def test_celery_and_redis_read_that_password_as_it_was(environ):
    from kombu.utils.url import parse_url
    from redis.connection import parse_url as redis_parse

    environ.setenv("CELERY_BROKER_URL", "redis://broker.example/0")
    url = Environment().broker("CELERY_BROKER_URL", "", password="a:b@c/d#e?f")
    assert parse_url(url)["password"] == redis_parse(url)["password"] == "a:b@c/d#e?f"


def test_workers_use_the_password_that_stands_apart(tmp_path):
    """Celery reads the variable of the broker's address by itself, before any setting."""
    asked = "from config.celery import app; print(app.connection_for_write().password)"
    site = {"CELERY_BROKER_URL": "redis://broker.example/0", "REDIS_PASSWORD": "a:b@c/d#e?f", "SECRET_KEY": GOOD_KEY}
    done = manage(tmp_path, "shell", "--no-imports", "-v0", "-c", asked, **site)
    assert done.stdout.strip() == "a:b@c/d#e?f", done.stderr


@pytest.mark.parametrize("url", ["sqlite:////tmp/a@b.sqlite3", "postgres:///bench", "files://localhost"])
def test_an_address_without_a_password_stays_as_it_is(url):
    assert with_quoted_password(url) == url
    assert with_password(url, "") == url


def test_a_secret_in_a_file_counts_and_two_different_ones_do_not(environ, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("from-the-file\n")
    environ.setenv("SOME_SECRET_FILE", str(secret))
    environ.setenv("SOME_SECRET", "")
    assert Environment().text("SOME_SECRET") == "from-the-file"
    assert Environment().text("SOME_SECRET") == "from-the-file", "asked again"
    environ.setenv("SOME_SECRET", "another")
    with pytest.raises(BadSetting, match="SOME_SECRET and SOME_SECRET_FILE are both set") as ended:
        Environment().text("SOME_SECRET")
    assert "from-the-file" not in str(ended.value)
    environ.setenv("SOME_SECRET_FILE", str(tmp_path / "absent"))
    with pytest.raises(BadSetting, match=r"SOME_SECRET_FILE names .*absent, which cannot be read"):
        Environment().text("SOME_SECRET")


def test_keys_of_models_come_from_files_too(environ, tmp_path):
    (tmp_path / "key").write_text("sk-from-file")
    environ.setenv("LLM_KEY_NAMES", "LAB_API_KEY")
    environ.setenv("LAB_API_KEY", "")
    environ.setenv("LAB_API_KEY_FILE", str(tmp_path / "key"))
    assert Environment().variables("LLM_KEY_NAMES") == ["LAB_API_KEY"]
    assert os.environ["LAB_API_KEY"] == "sk-from-file"


WRONG = {
    "ALLOWED_HOSTS": "https://workbench.example.org",
    "CSRF_TRUSTED_ORIGINS": "workbench.example.org",
    "SITE_ADDRESS": "workbench.example.org",
    "WIKI_ALLOWED_HOSTS": "https://en.wikipedia.org/w/api.php",
    "LLM_ALLOWED_HOSTS": "api.openai.com/v1",
    "WEBHOOK_ALLOWED_HOSTS": "a b",
    "LLM_KEY_NAMES": "sk-geheim-123",
    "DEFAULT_FROM_EMAIL": "workbench",
    "EMAIL_URL": "smtp+tls://user:geheim@mail.example.org:port",
    "BACKUP_ENCRYPT_TO": "AGE-SECRET-KEY-1geheim",
    "CELERY_BROKER_URL": "redis://:geheim@broker:port/0",
    "SECRET_KEY_FILE": "/nowhere/geheim-key",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_right_ends_the_start_in_one_sentence(environ, tmp_path, name):
    environ.setenv("VAR_DIR", str(tmp_path))
    environ.setenv(name, WRONG[name])
    with pytest.raises(BadSetting) as ended:
        runpy.run_path(str(ROOT / "config" / "settings.py"))
    (line,) = str(ended.value).splitlines()
    assert line.startswith(name)
    assert name == "SECRET_KEY_FILE" or "geheim" not in line


def test_hosts_and_origins():
    assert all(map(is_host, ["localhost", "127.0.0.1", "[::1]", "[::1]:8000", ".example.org", "a.example:8000", "*"]))
    assert not any(map(is_host, ["", "https://a", "a/b", "a b", "a:b", "user@a", "**"]))
    assert all(map(is_origin, ["https://workbench.example.org", "http://localhost:8000/"]))
    assert not any(
        map(is_origin, ["", "a.example", "ftp://a", "https://", "https://a/b", "https://u@a", "https://a:b"])
    )


def test_a_server_with_secrets_in_files_passes_the_check_for_deployment(tmp_path):
    key, password = tmp_path / "key", tmp_path / "password"
    key.write_text(GOOD_KEY)
    password.write_text("a:b@c/d#e?f")
    site = {
        **NET,
        "SECRET_KEY_FILE": str(key),
        "DATABASE_URL": "postgres://workbench@db.example/bench",
        "DATABASE_PASSWORD_FILE": str(password),
        "CSRF_TRUSTED_ORIGINS": "https://workbench.example.org",
    }
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **site)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def superuser(monkeypatch, password: str, username: str = "ada") -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", password)
    call_command("createsuperuser", interactive=False, username=username, email="ada@example.org", stdout=StringIO())


@pytest.mark.django_db
def test_createsuperuser_refuses_weak_passwords_and_deceptive_or_taken_names(monkeypatch):
    for weak in ("", "x", "password", "12345678", "two-passages", "ada@example.org"):
        with pytest.raises(CommandError, match="DJANGO_SUPERUSER_PASSWORD"):
            superuser(monkeypatch, weak)
    with pytest.raises(CommandError, match="mixes scripts"):
        superuser(monkeypatch, "five green bridges", username="аda")
    assert not User.objects.exists()
    superuser(monkeypatch, "five green bridges")
    assert User.objects.get().is_superuser
    with pytest.raises(CommandError, match="already taken"):
        superuser(monkeypatch, "five green bridges", username="ADA")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.django_db
def test_at_a_terminal_a_weak_password_cannot_be_pushed_through(monkeypatch):
    typed = iter(["12345678", "12345678", "five green bridges", "five green bridges"])
    monkeypatch.setattr(getpass, "getpass", lambda prompt="": next(typed))
    monkeypatch.setattr("builtins.input", lambda prompt="": "y")
    errors = StringIO()
    call_command(
        "createsuperuser", username="ada", email="a@example.org", stdin=Terminal(), stdout=StringIO(), stderr=errors
    )
    assert "too common" in errors.getvalue()
    assert User.objects.get().check_password("five green bridges")


@pytest.mark.parametrize("is_pooled", [True, False])
def test_behind_pgbouncer_nothing_outlives_a_transaction(is_pooled, tmp_path):
    given = {"DATABASE_URL": "postgres://workbench@db.example/bench", "DATABASE_POOLED": str(is_pooled).lower()}
    names = "d.get('DISABLE_SERVER_SIDE_CURSORS'), d['OPTIONS']['prepare_threshold'], 'options' in d['OPTIONS']"
    shown = subprocess.run(
        [sys.executable, "-c", f"from config.settings import DATABASES; d = DATABASES['default']; print({names})"],
        env=environment(tmp_path, **given), cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert shown.strip() == ("True None False" if is_pooled else "None 0 True")


def test_both_ends_notice_within_half_a_minute_that_a_machine_is_cut_off(tmp_path):
    """Else what its transaction has locked stays locked for two hours, and other machines wait for it."""
    code = "from config.settings import DATABASES; print(DATABASES['default']['OPTIONS'])"
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path, DATABASE_URL="postgres://workbench@db.example/bench?tcp_user_timeout=9000"),
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    options = ast.literal_eval(shown)
    ours = {"keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3}
    assert ours.items() <= options.items()
    assert int(options["tcp_user_timeout"]) == 9000, "what the address says counts"
    for setting in ("keepalives_idle=15", "keepalives_interval=5", "keepalives_count=3", "user_timeout=30000"):
        assert f"-c tcp_{setting}" in options["options"]
