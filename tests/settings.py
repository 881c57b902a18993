"""The real settings, with fast hashing and tasks run at once."""

import atexit
import shutil
import tempfile

from config.settings import *  # noqa: F403
from config.settings import BASE_DIR, DATABASES, STATICFILES_DIRS

SECRET_KEY = "only for tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ACCOUNT_RATE_LIMITS = False  # type: ignore[assignment]
API_REQUESTS_PER_MINUTE = 0
FOLDER_IS_CHECKED = False
ALARM_AFTER_SECONDS = 0
ACCOUNT_REAUTHENTICATION_TIMEOUT = 86_400  # sessions of a module's tests serve them all
ALLOWED_HOSTS = ["*"]
WIKI_CONTACT = "people@example.org"
WIKI_ALLOWED_HOSTS = [".example", ".example.org", ".wikipedia.org"]
LLM_KEY_NAMES = [
    *("LAB_API_KEY", "OPENAI_API_KEY", "NOT_SET_API_KEY", "WRONG_API_KEY", "NOWHERE_API_KEY", "ABSENT_API_KEY"),
    *("SOME_API_KEY", "UNSET_API_KEY", "THIRD_PARTY_API_KEY"),
]
EVIDENCE_AHEAD = False  # a harvest in a test asks no wiki for more than its test says
LOGGING = {"version": 1, "disable_existing_loggers": False}

if DATABASES["default"]["ENGINE"] == "config.sqlite":
    # A file, not memory: threads and browsers must meet the locks that people meet. Nothing in it outlives the run.
    TEST_DIR = tempfile.mkdtemp(prefix="workbench-test-")
    atexit.register(shutil.rmtree, TEST_DIR, ignore_errors=True)
    DATABASES["default"]["TEST"] = {"NAME": f"{TEST_DIR}/test.sqlite3"}
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON;"
    )
    # Each kind of statement is prepared once, with the triggers that keep the sums; Python by itself keeps 128.
    DATABASES["default"]["OPTIONS"]["cached_statements"] = 2_000
# Pages that are looked at by axe get it as they get their own scripts. Its name ends in .mjs, so nobody packs it.
STATICFILES_DIRS = [*STATICFILES_DIRS, BASE_DIR / "tests" / "browser" / "vendor"]
# Each test client is a server of its own: it looks a static file up when it is asked for, not all of them beforehand.
WHITENOISE_AUTOREFRESH = True
