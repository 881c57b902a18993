"""PostgreSQL and Redis really stopped below a running site: pages say so with 503, and what was made stays made."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import requests

from tests.servers import services

pytestmark = pytest.mark.thorough
ROOT = Path(__file__).parents[2]
BEGIN = """
from django.core.management import call_command
from django.contrib.auth.models import Group
from annotation.models import Wiki
from core.models import User
call_command("migrate", verbosity=0)
for name in ("admin", "annotator"):
    Group.objects.get_or_create(name=name)
amir = User.objects.create_user("amir", password="amir")
amir.groups.set(Group.objects.all())
Wiki.objects.create(name="A wiki", api_url="http://127.0.0.1:9/api.php", is_allowed=True)
"""


class Site:
    """gunicorn on services of its own."""

    def __init__(self, folder: Path) -> None:
        self.redis, self.postgres = services.Redis(), services.Postgres()
        self.port = services.free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.environment = os.environ | {
            "VAR_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": self.postgres.url,
            "CELERY_BROKER_URL": self.redis.url,
        }
        self.web: subprocess.Popen | None = None

    def start(self) -> None:
        self.redis.start()
        self.postgres.start()
        self.manage("shell", "-v0", "-c", BEGIN)
        self.start_web()

    def start_web(self) -> None:
        options = ["--bind", f"127.0.0.1:{self.port}", "--worker-class", "gthread", "--threads", "4"]
        self.web = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "config.wsgi", *options], cwd=ROOT, env=self.environment
        )
        services.wait_until_it_listens(self.port)

    def stop(self) -> None:
        if self.web is not None:
            self.web.terminate()
            self.web.wait()
        self.redis.stop()
        self.postgres.remove()

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def browser(self) -> "Browser":
        return Browser(self.address)


class Browser:
    def __init__(self, address: str) -> None:
        self.session = requests.Session()
        self.address = address

    def open(self, path: str, **options) -> requests.Response:
        return self.session.get(self.address + path, allow_redirects=False, timeout=60, **options)

    def send(self, path: str, form_on: str = "", **fields: str) -> requests.Response:
        """Post a form, with the token of the page `form_on`. No answer within a minute is an error."""
        page = self.open(form_on or path)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert token, page.text
        data = {"csrfmiddlewaretoken": token[1], **fields}
        return self.session.post(self.address + path, data=data, allow_redirects=False, timeout=60)

    def sign_in(self) -> requests.Response:
        return self.send("/account/login/", login="amir", password="amir")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[Site]:
    if problem := services.missing():
        if os.environ.get("CI") == "true":
            pytest.fail(problem)
        pytest.skip(f"{problem}; as root, .ci/services installs it")
    site = Site(tmp_path_factory.mktemp("site"))
    try:
        site.start()
        yield site
    finally:
        site.stop()


@pytest.fixture
def amir(site) -> Browser:
    browser = site.browser()
    assert browser.sign_in().status_code == 302
    assert browser.open("/").status_code == 200
    return browser


@pytest.fixture
def without_postgres(site, amir) -> Iterator[None]:
    site.postgres.stop()
    yield
    if site.postgres.process is None:
        site.postgres.start()


@pytest.fixture
def without_redis(site, amir) -> Iterator[None]:
    site.redis.stop()
    yield
    if site.redis.process is None:
        site.redis.start()


def says_that_the_database_is_away(response: requests.Response) -> bool:
    assert response.status_code == 503, response.text
    assert int(response.headers["Retry-After"]) > 0
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    return "The database cannot be reached" in response.text


def test_without_postgresql_every_page_says_so(site, amir, without_postgres):
    for path in ("/", "/people/", "/annotation/harvests/", "/annotation/desk/", "/account/", "/nowhere/"):
        response = amir.open(path)
        assert says_that_the_database_is_away(response)
        assert "<main" in response.text


def test_without_postgresql_a_fragment_is_a_fragment(site, amir, without_postgres):
    response = amir.open("/people/", headers={"HX-Request": "true"})
    assert says_that_the_database_is_away(response)
    assert "<html" not in response.text


def test_without_postgresql_what_is_sent_is_refused_with_503(site, amir):
    page = amir.open("/account/")
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)[1]
    site.postgres.stop()
    try:
        data = {"csrfmiddlewaretoken": token, "first_name": "A", "last_name": "B"}
        for path in ("/account/name/", "/account/logout/"):
            assert says_that_the_database_is_away(amir.session.post(site.address + path, data=data))
        assert says_that_the_database_is_away(site.browser().sign_in())
    finally:
        site.postgres.start()


def readiness(browser: Browser) -> str:
    """The lines of /ready/, on a connection of its own: between two requests the server closes one that rests."""
    return browser.open("/ready/", headers={"Connection": "close"}).text


def test_without_postgresql_the_process_lives_and_the_site_is_not_ready(site, amir, without_postgres):
    assert amir.open("/health/").status_code == 200
    response = amir.open("/ready/")
    assert (response.status_code, response.headers["Content-Type"]) == (503, "text/plain")
    assert int(response.headers["Retry-After"]) > 0
    assert "database: failed" in response.text
    assert "migrations: unknown" in response.text
    site.postgres.start()
    assert amir.open("/").status_code == 200
    deadline = time.monotonic() + 30
    while "database: ok" not in readiness(amir) and time.monotonic() < deadline:
        time.sleep(1)
    assert "database: ok" in readiness(amir)


def test_without_redis_the_site_is_not_ready_and_says_that_it_is_the_broker(site, amir, without_redis):
    deadline = time.monotonic() + 30
    while "broker: ok" in readiness(amir) and time.monotonic() < deadline:
        time.sleep(1)
    assert "broker: failed" in amir.open("/ready/").text


def test_without_redis_people_sign_in(site, without_redis):
    browser = site.browser()
    assert browser.sign_in().status_code == 302
    assert browser.open("/").status_code == 200


def test_without_redis_guessing_is_limited_all_the_same(site, without_redis):
    stranger = site.browser()
    stranger.session.headers["X-Forwarded-For"] = "192.0.2.66"
    said = [stranger.send("/account/login/", login="nobody", password=f"guess {n}").text for n in range(11)]
    assert "Too many failed login attempts" in said[-1]
    assert "Too many failed login attempts" not in said[0]


def harvests(site: Site) -> list[str]:
    with psycopg.connect(site.postgres.url.replace("postgres://", "postgresql://")) as database:
        return [state for (state,) in database.execute("SELECT state FROM annotation_harvest ORDER BY id")]


def test_without_redis_a_harvest_is_made_and_waits_for_the_clock(site, amir, without_redis):
    before = len(harvests(site))
    response = amir.send(
        "/annotation/harvests/new/", source="category", wiki="1", category="Articles that contradict themselves"
    )
    assert response.status_code == 302, response.text
    assert harvests(site)[before:] == ["waiting"]
    assert amir.open(response.headers["Location"]).status_code == 200
