"""Settings of a server: what is weak is refused, what is printed is worth nothing, what is private stays closed."""

import os
import runpy
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
import requests
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.templatetags.static import static
from django.test import Client

from config.reading.environment import (
    BadSetting,
    Environment,
    local_secret_key,
    networks,
    private_folder,
    usable_secret_key,
)
from core.accounts.passwords import NotThePrintedPassword
from core.accounts.sample_people import DEMO_PASSWORD, make_demo_people
from core.models import User
from tests.servers.services import free_port, wait_until_it_listens

ROOT = Path(__file__).parents[3]
GOOD_KEY = "k7Qw-" * 3 + "Zx81_pLm4vRt6yUn2bHs9dJf3gAe5cOiKqWzXmVnBtYr"
NET = {"HTTPS": "true", "ALLOWED_HOSTS": "workbench.example.org,127.0.0.1"}


# The last one is Playwright's: a browser test may have run in this process before.
NOT_HANDED_ON = ("DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_ALLOW_ASYNC_UNSAFE")


def environment(folder: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in NOT_HANDED_ON}
    return kept | {"VAR_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"} | more


def manage(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment(folder, **more), capture_output=True, text=True)


@pytest.mark.parametrize("key", ["x", "...", "a" * 60, "django-insecure-" + GOOD_KEY, "openssl rand -hex 32"])
def test_a_weak_secret_key_is_refused(key):
    with pytest.raises(BadSetting, match="SECRET_KEY is too easy to guess"):
        usable_secret_key(key)


def test_nothing_starts_with_a_weak_secret_key(tmp_path):
    done = manage(tmp_path, "check", SECRET_KEY="...")
    assert done.returncode != 0
    assert "SECRET_KEY is too easy to guess" in done.stderr


BAD_SETTINGS = {
    "SECRET_KEY": "x",
    "DATABASE_URL": "postgres://a:geheim@db.example:port/x",
    "CELERY_BROKER_URL": "redis",
    "EMAIL_URL": "mail.example.org",
    "DEBUG": "maybe",
    "CONN_MAX_AGE": "-5",
    "EXTRACTION_SECONDS": "nan",
    "IMPORT_MAX_BYTES": "50 MB",
    "WATCH_HOUR": "24",
    "TRUSTED_PROXIES": "one",
    "TIME_ZONE": "Berlin",
    "LOG_LEVEL": "loud",
}


@pytest.mark.parametrize("name", BAD_SETTINGS)
def test_a_setting_that_cannot_be_used_ends_in_one_sentence_that_names_it(tmp_path, monkeypatch, name):
    for other in NOT_HANDED_ON:
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setenv(name, BAD_SETTINGS[name])
    with pytest.raises(BadSetting) as ended:
        runpy.run_path(str(ROOT / "config" / "settings.py"))
    (line,) = str(ended.value).splitlines()
    assert line.startswith(name)
    assert "geheim" not in line


def test_the_program_says_that_sentence_and_nothing_else(tmp_path):
    done = manage(tmp_path, "check", DATABASE_URL=BAD_SETTINGS["DATABASE_URL"])
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("DATABASE_URL cannot be read")


@pytest.mark.parametrize(
    "url", ["nonsense", "mysql://a:b@db.example/x", "postgres://a:b@db.example", "postgres://[", "://"]
)
def test_an_address_that_is_no_database_is_refused(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(BadSetting, match=r"DATABASE_URL cannot be read\. Write it as postgres://"):
        Environment().database("DATABASE_URL", "sqlite://:memory:")


def test_a_variable_that_is_empty_counts_as_unset(tmp_path, monkeypatch):
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    for name in (*NOT_HANDED_ON, *BAD_SETTINGS):
        monkeypatch.delenv(name, raising=False)
    unset = settings_now()
    for name in BAD_SETTINGS:
        monkeypatch.setenv(name, "")
    assert settings_now() == unset


def settings_now() -> dict[str, object]:
    found = runpy.run_path(str(ROOT / "config" / "settings.py"))
    return {name: value for name, value in found.items() if name.isupper()}


def test_a_cut_off_key_file_is_refused(tmp_path):
    (tmp_path / "secret_key").write_text("")
    with pytest.raises(BadSetting, match="secret_key is too easy to guess"):
        local_secret_key(tmp_path)


def test_a_proxy_that_is_no_address_is_refused():
    with pytest.raises(BadSetting, match="TRUSTED_PROXIES names “one”"):
        networks(["10.0.0.1", "one"], "TRUSTED_PROXIES")


def test_the_settings_of_a_server_pass_the_check_for_deployment(tmp_path):
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", SECRET_KEY=GOOD_KEY, **NET)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("net", "hosts"), [({}, "localhost,127.0.0.1,[::1]"), (NET, "")])
@pytest.mark.parametrize("name", ["LLM_ALLOWED_HOSTS", "WEBHOOK_ALLOWED_HOSTS"])
def test_programs_on_the_machine_are_reached_by_default_on_a_local_site_only(tmp_path, net, hosts, name):
    asked = f"from django.conf import settings; print(','.join(settings.{name}))"
    done = manage(tmp_path, "shell", "--no-imports", "-c", asked, SECRET_KEY=GOOD_KEY, **net)
    assert done.stdout.strip() == hosts, done.stderr


@pytest.mark.parametrize("existed", [True, False])
def test_the_folder_of_all_data_is_closed_to_others(tmp_path, existed):
    folder = tmp_path / "var"
    if existed:
        folder.mkdir(mode=0o755)
    local_secret_key(private_folder(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600


def test_a_folder_that_everybody_shares_stays_open(tmp_path):
    tmp_path.chmod(0o1777)
    private_folder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777


@pytest.fixture(scope="module")
def samples(tmp_path_factory, migrated) -> Path:
    """The data of a site that was first started on this machine, with its sample people."""
    tmp_path = tmp_path_factory.mktemp("samples")
    shutil.copy(migrated, tmp_path / "workbench.sqlite3")
    begin = "from core.accounts.sample_people import make_demo_people; print(len(make_demo_people()))"
    assert manage(tmp_path, "shell", "-v0", "-c", begin).stdout.strip() == "6"
    return tmp_path


@contextmanager
def started(folder: Path, **more: str) -> Iterator[int]:
    """The port of a gunicorn that was started directly."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "2"]
    web = subprocess.Popen(command, cwd=ROOT, env=environment(folder, **more))
    try:
        wait_until_it_listens(port)
        yield port
    finally:
        web.terminate()
        web.wait()


def signs_in(port: int, headers: dict[str, str]) -> bool:
    """Return whether the sample admin gets in."""
    browser = requests.Session()
    browser.headers.update(headers)
    address = f"http://127.0.0.1:{port}/account/login/"
    page = browser.get(address)
    token = page.text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    # Over plain HTTP to a site that wants TLS, the cookie is given by hand.
    cookies = {"csrftoken": page.cookies["csrftoken"]}
    form = {"csrfmiddlewaretoken": token, "login": "admin", "password": DEMO_PASSWORD}
    host = headers.get("Host", f"127.0.0.1:{port}")
    scheme = headers.get("X-Forwarded-Proto", "http")
    done = browser.post(
        address, data=form, cookies=cookies, headers={"Referer": f"{scheme}://{host}/"}, allow_redirects=False
    )
    if done.status_code == 302:
        return True
    assert "This password is public" in done.text, done.text
    return False


def test_the_sample_people_sign_in_on_this_machine_but_not_behind_a_proxy_for_others(samples):
    with started(samples) as port:
        assert signs_in(port, {})
        assert not signs_in(port, {"X-Forwarded-For": "203.0.113.9"})


def test_on_a_server_the_sample_people_do_not_sign_in(samples):
    with started(samples, SECRET_KEY=GOOD_KEY, **NET) as port:
        assert not signs_in(port, {"Host": "workbench.example.org", "X-Forwarded-Proto": "https"})


@pytest.mark.django_db
def test_a_server_makes_no_sample_people(settings):
    settings.SITE_IS_LOCAL = False
    said = StringIO()
    call_command("prepare", stdout=said)
    assert "createsuperuser" in said.getvalue()
    assert not User.objects.exists()


@pytest.mark.django_db
def test_who_was_signed_in_with_the_printed_password_is_signed_out_where_the_site_is_not_local(settings, sign_in):
    admin = next(user for user in make_demo_people() if user.username == "admin")
    client = sign_in(admin)
    assert client.get("/").status_code == 200
    settings.SITE_IS_LOCAL = False
    assert client.get("/").status_code == 302
    admin.set_password("five green bridges")
    admin.save()
    assert sign_in(User.objects.get(pk=admin.pk)).get("/").status_code == 200


@pytest.mark.django_db
def test_from_another_machine_the_printed_password_is_refused_for_everyone():
    make_demo_people()
    form = {"login": "admin", "password": DEMO_PASSWORD}
    assert b"password is public" in Client(REMOTE_ADDR="192.0.2.7").post("/account/login/", form).content
    assert Client(REMOTE_ADDR="127.0.0.1").post("/account/login/", form).status_code == 302


@pytest.mark.django_db
def test_up_does_not_start_with_sample_people_where_the_site_is_not_local(settings):
    make_demo_people()
    settings.SITE_IS_LOCAL = False
    with pytest.raises(CommandError, match="still have the printed password"):
        call_command("up", host="127.0.0.1", stdout=StringIO())


def test_nobody_chooses_the_printed_password():
    with pytest.raises(ValidationError):
        NotThePrintedPassword().validate(DEMO_PASSWORD)


@pytest.mark.django_db
def test_no_page_is_kept_in_a_store_and_files_are(admin, sign_in):
    client = sign_in(admin)
    for path in ("/", "/people/", "/activity/", "/account/", "/nowhere/", "/account/login/"):
        assert "no-store" in client.get(path)["Cache-Control"], path
    assert "no-store" in client.get("/people/", headers={"HX-Request": "true"})["Cache-Control"]
    assert "no-store" in Client().post("/account/name/", {"first_name": "typed"})["Cache-Control"]
    style_sheet = client.get(static("app.css"))
    assert "max-age" in style_sheet["Cache-Control"]
    assert "no-store" not in style_sheet["Cache-Control"]


def test_an_alarm_within_a_minute_is_refused_and_none_at_all_is_not(tmp_path):
    for written in ("1", "59", "-1"):
        assert f"ALARM_AFTER_SECONDS is “{written}”" in manage(tmp_path, "check", ALARM_AFTER_SECONDS=written).stderr
    for written in ("0", "60"):
        assert manage(tmp_path, "check", ALARM_AFTER_SECONDS=written).returncode == 0
