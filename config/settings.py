"""All settings in one file: each value from the environment, with a default that works on a laptop.

Without any variable set, everything lives below `var/`: a SQLite database, a folder of messages for the worker,
and a secret key made at the first start.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

from celery.schedules import crontab
from csp.constants import NONE, SELF

from config.logs import FORMATS, logging_settings
from config.reading.environment import (
    LOOPBACK_NAMES,
    Environment,
    local_secret_key,
    networks,
    private_folder,
    usable_secret_key,
)
from config.reading.oidc import oidc_provider, provider_id_of
from config.static import version_of

BASE_DIR = Path(__file__).resolve().parent.parent

# Before anything loads numpy: the matrices of reports are small, and a second thread for them spends more time on
# waiting for the first than it saves. A server answers other requests meanwhile.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

env = Environment()
Environment.read_env(BASE_DIR / ".env")

# Nothing goes out from a folder of data that does not belong to the database. Off in tests: their databases come and
# go.
FOLDER_IS_CHECKED = True
VAR_DIR = private_folder(Path(env.text("VAR_DIR", str(BASE_DIR / "var"))))
DEBUG = env.switch("DEBUG", default=False)
# Off: every query is put together anew and every fragment rendered anew, to see what the engine buys.
PREPARED = env.switch("PREPARED", default=True)
GIVEN_KEY = env.text("SECRET_KEY")
SECRET_KEY = usable_secret_key(GIVEN_KEY) if GIVEN_KEY else local_secret_key(VAR_DIR)
# Earlier keys: what they signed or encrypted still counts.
SECRET_KEY_FALLBACKS = env.names("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")
# Behind a proxy that ends TLS, set HTTPS=true: cookies are then sent over TLS only.
HTTPS = env.switch("HTTPS", default=False)
# Whether only this machine can reach the site. If not, the first start makes no sample accounts.
SITE_IS_LOCAL = not HTTPS and set(ALLOWED_HOSTS) <= LOOPBACK_NAMES
# Proxies whose X-Forwarded-For is believed: addresses or networks. This machine's own always are.
TRUSTED_PROXIES = networks(env.names("TRUSTED_PROXIES"), "TRUSTED_PROXIES")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(health|ready|metrics)/$"]  # programs ask them directly, past the proxy
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.switch("HSTS_SUBDOMAINS", default=HTTPS)
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "core",
    "annotation",
    "judging",
    "review",
    "benchmarks.wikicontradict",
    "benchmarks.contradoc",
    "benchmarks.conflictbank",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "csp",
    "django_htmx",
]

MIDDLEWARE = [
    "core.seeing.requests.RequestLogMiddleware",
    # First: what pages need in headers, files do not.
    "core.web.lean_files.LeanFilesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    # Before the middleware that serves files, so that scripts and style sheets are compressed too.
    "django.middleware.gzip.GZipMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "core.web.headers.PermissionsMiddleware",
    "core.web.middleware.NoStoreMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "core.web.middleware.SlashMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "core.sign_in.seen.SeenMiddleware",
    "core.languages.choosing.LanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "core.web.middleware.ReadableMiddleware",
    "core.web.kept_text.KeptTextMiddleware",
    "core.web.middleware.RefusalMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                *("core.templatetags.addresses", "core.templatetags.forms", "core.templatetags.parts"),
                "core.templatetags.texts",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "core.web.context.navigation",
            ],
        },
    }
]

# --- Database: the one source of truth ------------------------------------------------------------------------

# Passwords may stand apart from the addresses, as secrets of containers do.
DATABASE_PASSWORD = env.text("DATABASE_PASSWORD")
SQLITE = f"sqlite:///{VAR_DIR / 'workbench.sqlite3'}"
DATABASES = {"default": env.database("DATABASE_URL", SQLITE, password=DATABASE_PASSWORD)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["ENGINE"] = "config.sqlite"
    DATABASES["default"]["OPTIONS"] = {
        # A write transaction takes its lock at the start and waits for it. By SQLite's own default it would fail at
        # the first write when another one came between, whatever the time-out.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # synchronous=FULL: what was acknowledged is on disk, even after a power cut.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
    }
else:
    DATABASES["default"]["ENGINE"] = "config.postgresql"
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # In seconds. A server that swallows packets counts as down, instead of being waited for for minutes.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
    # Both ends notice within 30 seconds that the connection is lost. The system's defaults take two hours, and
    # until then the server keeps a transaction's locks.
    keepalives = {"keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3}
    DATABASES["default"]["OPTIONS"] = keepalives | {"tcp_user_timeout": 30_000} | DATABASES["default"]["OPTIONS"]
    if env.switch("DATABASE_POOLED", default=False):
        # PgBouncer gives each transaction another connection: nothing may outlive it, and what is set at the start
        # of a connection is set for the role instead (docs/scaling.md).
        DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
        DATABASES["default"]["OPTIONS"]["prepare_threshold"] = None
    else:
        # Statements that may be prepared are so from their first time on; `config/postgresql` says which.
        DATABASES["default"]["OPTIONS"].setdefault("prepare_threshold", 0)
        # PostgreSQL compiles queries whose costs it overestimates, as those of our lists: 320 of 333 ms went into
        # that. And it plans a prepared statement again each time if it thinks that better: 9 of 10 ms for the next
        # tag.
        given = DATABASES["default"]["OPTIONS"].get("options", "")
        # Nor is a page worth the start of further processes: 20 ms for two of them.
        ours = "-c jit=off -c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0"
        ours += " -c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
        ours += " -c tcp_user_timeout=30000"
        DATABASES["default"]["OPTIONS"]["options"] = f"{ours} {given}".strip()
# In seconds. Opening SQLite's file for each request, and writing its log back at the last close, took a third of a
# page's time.
DATABASES["default"]["CONN_MAX_AGE"] = env.number("CONN_MAX_AGE", default=60)

# --- Work in the background -----------------------------------------------------------------------------------

REDIS_PASSWORD = env.text("REDIS_PASSWORD")
CELERY_BROKER_URL = env.broker("CELERY_BROKER_URL", "files://localhost", password=REDIS_PASSWORD)
if CELERY_BROKER_URL.startswith("files:"):
    MESSAGES_DIR = VAR_DIR / "messages"
    for folder in ("queue", "control", "processed"):
        (MESSAGES_DIR / folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(MESSAGES_DIR / "queue"),
        "data_folder_out": str(MESSAGES_DIR / "queue"),
        "control_folder": str(MESSAGES_DIR / "control"),
        "processed_folder": str(MESSAGES_DIR / "processed"),
        "polling_interval": 0.3,
    }
elif CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
    # In seconds. A broker that swallows packets counts as down, so that sending a message keeps nobody waiting.
    CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 30}
# In seconds. The longest wait of `manage.py up` for a worker that stops: more than twice the longest time-out of a
# model.
STOP_SECONDS = env.number("STOP_SECONDS", default=300, least=1)
CELERY_TASK_IGNORE_RESULT = True  # results are rows
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"


def _wakes(task: str, every: float | crontab, *, expires: float) -> dict:
    """An entry of the clock. It expires, so a worker that was down does not find a backlog of messages."""
    return {"task": task, "schedule": every, "options": {"expires": expires}}


CELERY_BEAT_SCHEDULE: dict[str, dict] = {
    # Wakes waiting calls.
    "call models": _wakes("judging.tasks.call_models", 5.0, expires=15.0),
    "send batches": _wakes("judging.tasks.send_batches", 10.0, expires=30.0),
    "measure": _wakes("benchmarks.contradoc.making.worker.measure", 20.0, expires=60.0),
    "use local models": _wakes("benchmarks.conflictbank.classifying.worker.use_local_models", 20.0, expires=60.0),
    "rank counterparts": _wakes("judging.tasks.rank_counterparts", 20.0, expires=60.0),
    "make claims": _wakes("benchmarks.conflictbank.claims.worker.make_claims_asked_for", 20.0, expires=60.0),
    # Does work of pages that has no message, or whose worker died.
    "do background work": _wakes("core.background.tasks.do_background_work", 20.0, expires=60.0),
    "forget replies": _wakes("judging.tasks.forget_replies", crontab(hour=4, minute=53), expires=3600.0),
    "start runs": _wakes("judging.tasks.start_runs", 30.0, expires=60.0),
    "clear dead batches": _wakes("annotation.tasks.clear_dead_batches", 30.0, expires=60.0),
    "clear abandoned items": _wakes(
        "annotation.tasks.clear_abandoned_items", crontab(hour=4, minute=23), expires=3600.0
    ),
    # Continues harvests whose message was lost or whose worker died.
    "wake harvests": _wakes("annotation.tasks.wake_harvests", 20.0, expires=60.0),
    # Requests evidence of new tags, and continues what waits without a message.
    "wake evidence": _wakes("annotation.tasks.wake_evidence", 20.0, expires=60.0),
    # Continues looks at single tags whose message was lost or whose worker died.
    "wake watching": _wakes("annotation.tasks.wake_watching", 20.0, expires=60.0),
    "watch articles": _wakes(
        "annotation.tasks.watch_articles",
        crontab(hour=env.number("WATCH_HOUR", default=3, most=23), minute=17),
        expires=6 * 3600.0,
    ),
    # Sessions that have expired, and answers kept for requests that are sent again.
    "clear expired": _wakes("core.clearing.tasks.clear_expired", crontab(minute=41), expires=1800.0),
    # Shows that the clock's messages reach a worker.
    "sign work": _wakes("core.health.tasks.sign_work", 20.0, expires=60.0),
    "back up": _wakes(
        "core.keeping.tasks.backup_nightly",
        crontab(hour=env.number("BACKUP_HOUR", default=2, most=23), minute=7),
        expires=3600.0,
    ),
    # Shows, after a restore, that the database is older than this folder of data.
    "keep step": _wakes("core.keeping.tasks.keep_step", 60.0, expires=120.0),
    "clear signs": _wakes("core.health.tasks.clear_signs", crontab(hour=4, minute=11), expires=3600.0),
    # Each night: `doctor` shows the result.
    "check sums": _wakes("core.health.tasks.check_sums_nightly", crontab(hour=4, minute=41), expires=3600.0),
    # Adds new entries of the log to its chain.
    "seal log": _wakes("core.sealing.tasks.seal_log", 30.0, expires=60.0),
    "verify log": _wakes("core.sealing.tasks.verify_log_nightly", crontab(hour=4, minute=33), expires=3600.0),
    # Submissions that no reviewer has to decide on, once they can no longer be taken back.
    "accept without review": _wakes("annotation.tasks.accept_without_review", 60.0, expires=120.0),
    "send mail": _wakes("annotation.tasks.send_mail", 60.0, expires=120.0),
    # Sends what waits without a message, or whose worker died.
    "deliver webhooks": _wakes("core.webhooks.tasks.deliver_waiting", 15.0, expires=60.0),
    # Judgments that can no longer be taken back begin to count, and rounds whose worker died are dealt, or closed.
    "complete pairs": _wakes("review.tasks.complete_pairs", 20.0, expires=60.0),
    "deal rounds": _wakes("review.tasks.deal_waiting_rounds", 30.0, expires=60.0),
    "close rounds": _wakes("review.tasks.finish_closing_rounds", 30.0, expires=60.0),
}
# Where entries of the activity log are copied to, once they are sealed; empty: nowhere.
LOG_TO_SYSLOG = env.syslog("LOG_TO_SYSLOG")
if LOG_TO_SYSLOG:
    CELERY_BEAT_SCHEDULE["copy log"] = _wakes("core.sealing.tasks.copy_log", 20.0, expires=60.0)
CELERY_BEAT_SCHEDULER = "core.health.clock:Clock"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")

# --- Backups --------------------------------------------------------------------------------------------------

# The folder of the nightly backups; without it, none are made. The newest archives of some days and weeks are kept.
# They are encrypted if a recipient of age is given.
BACKUP_FOLDER = env.text("BACKUP_FOLDER", "")
BACKUP_ENCRYPT_TO = env.recipient("BACKUP_ENCRYPT_TO")
BACKUP_KEEP_DAYS = env.number("BACKUP_KEEP_DAYS", default=7, least=1)
BACKUP_KEEP_WEEKS = env.number("BACKUP_KEEP_WEEKS", default=4)

# --- Cache: limits against guessing passwords -----------------------------------------------------------------

if CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
    CACHES = {
        "default": {
            "BACKEND": "config.cache.PatientRedisCache",
            "LOCATION": env.cache("CACHE_URL", CELERY_BROKER_URL, password=REDIS_PASSWORD),
            # In seconds. A server that swallows packets counts as down too.
            "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 2},
        }
    }

# --- People ---------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "core.User"
AUTHENTICATION_BACKENDS = ["core.accounts.adapter.Backend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
] + [
    {"NAME": "core.accounts.passwords.NotThePrintedPassword"},
    {"NAME": "core.accounts.breached.NotBreached"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_ADAPTER = "core.accounts.adapter.InvitedOnlyAdapter"
ACCOUNT_FORMS = {
    "login": "core.accounts.forms.SignInForm",
    "change_password": "core.accounts.forms.ChangePasswordForm",
    "reset_password_from_key": "core.accounts.forms.ResetPasswordForm",
    "reauthenticate": "core.sign_in.forms.ConfirmByPasswordForm",
}
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "core.accounts.passwords.ResetLinks"  # noqa: S105  # a class
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # nobody gets mail because another person typed their address here
# Wrong passwords: from one address, for one account from one address, and for one account from anywhere. The last is
# far higher, so that nobody can lock another person out.
ACCOUNT_RATE_LIMITS = {
    "login_failed": "10/m/ip",
    "login_failed_here": "5/5m/key",
    "login_failed_account": "300/h/key",
    "second_factor": "20/h/key",
    "csp_report": "10/m/ip,200/h/key",
}
# A second factor: a code from an app, recovery codes, or a passkey.
MFA_ADAPTER = "core.sign_in.adapter.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "core.sign_in.forms.CodeForm",
    "reauthenticate": "core.sign_in.forms.ConfirmByCodeForm",
    "activate_totp": "core.sign_in.forms.SetUpAppForm",
    "authenticate_webauthn": "core.sign_in.forms.PasskeyForm",
    "reauthenticate_webauthn": "core.sign_in.forms.ConfirmByPasskeyForm",
    "login_webauthn": "core.sign_in.forms.SignInByPasskeyForm",
    "add_webauthn": "core.sign_in.forms.AddPasskeyForm",
    "edit_webauthn": "core.sign_in.forms.RenamePasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_TOLERANCE = 1  # the clock of a telephone may be half a minute off
# Browsers make passkeys without TLS for `localhost` only.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = SITE_IS_LOCAL
# Whether admins do nothing as admins before they have a second factor, nor their tokens.
ADMINS_NEED_SECOND_FACTOR = env.switch("ADMINS_NEED_SECOND_FACTOR", default=False)
# Signing in with accounts of another site, by OpenID Connect. A part of the address that it leads back to is made of
# the issuer, so that accounts of two issuers are never mixed up.
OIDC_ISSUER = env.text("OIDC_ISSUER").rstrip("/")
OIDC_NAME = env.text("OIDC_NAME", urlsplit(OIDC_ISSUER).hostname or "")
OIDC_PROVIDER = provider_id_of(OIDC_ISSUER)
# Whether an address that the provider calls verified opens the account with this address.
OIDC_LINK_VERIFIED_EMAIL = env.switch("OIDC_LINK_VERIFIED_EMAIL", default=False)
SOCIALACCOUNT_ADAPTER = "core.sign_in.oidc.OidcAdapter"
SOCIALACCOUNT_PROVIDERS = oidc_provider(
    issuer=OIDC_ISSUER,
    provider_id=OIDC_PROVIDER,
    client_id=env.text("OIDC_CLIENT_ID"),
    secret=env.text("OIDC_CLIENT_SECRET"),
)
# Whether a second admin, where there is one, approves links for passwords and new admins.
SECOND_ADMIN_APPROVES = env.switch("SECOND_ADMIN_APPROVES", default=True)
# Seconds after which a signed-in person confirms who they are before an act that others would misuse.
ACCOUNT_REAUTHENTICATION_TIMEOUT = env.number("CONFIRM_AFTER_SECONDS", default=600, least=1)
CSRF_FAILURE_VIEW = "core.views.account.csrf_failure"
SESSION_ENGINE = "core.web.sessions"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30  # an annotation project runs for weeks
# Minutes without an act after which a person is signed out; 0: never.
IDLE_MINUTES = env.number("IDLE_MINUTES", default=0)
# Days after which a token expires unless its person chooses otherwise.
TOKEN_DAYS = env.number("TOKEN_DAYS", default=90, least=1, most=3_650)
# Days after which addresses of used or expired links, and tokens that no longer work, are deleted; 0: never.
FORGET_AFTER_DAYS = env.number("FORGET_AFTER_DAYS", default=365)
# Passwords known from break-ins: a file or folder of SHA-1 hashes, as Have I Been Pwned offers them. Never a request.
BREACHED_PASSWORDS = env.existing("BREACHED_PASSWORDS")
MAIL_CONFIGURED = bool(env.text("EMAIL_URL"))
EMAIL_CONFIG = env.mail("EMAIL_URL", "consolemail://")
vars().update(EMAIL_CONFIG)
EMAIL_TIMEOUT = 20
# The hour of the daily digest, and where links in mail lead to: a worker serves no request that would say so.
MAIL_HOUR = env.number("MAIL_HOUR", default=7, most=23)
SITE_ADDRESS = env.origin("SITE_ADDRESS")
DEFAULT_FROM_EMAIL = env.address("DEFAULT_FROM_EMAIL", "workbench@localhost")

# --- Wikis ----------------------------------------------------------------------------------------------------

# Wikis ask who is calling and how to reach them. Set it before harvesting a public wiki.
WIKI_CONTACT = env.text("WIKI_CONTACT")
# Hosts of wikis that may be asked: `host`, `host:port`, `.example.org` (and all below it) or `*`.
# By default, Wikimedia's.
WIKIMEDIA = (
    "wikipedia wiktionary wikibooks wikinews wikiquote wikisource wikiversity wikivoyage wikimedia wikidata mediawiki"
)
WIKI_ALLOWED_HOSTS = env.hosts("WIKI_ALLOWED_HOSTS") or [f".{name}.org" for name in WIKIMEDIA.split()]
# Whether wikis on this machine or in a private network may be asked.
LOCAL_WIKIS = env.switch("LOCAL_WIKIS", default=SITE_IS_LOCAL)
# Whether articles of other languages of an allowed wiki's family (de.wikipedia.org beside en.wikipedia.org) may be
# asked for at the desk without an admin allowing each.
WIKI_SAME_FAMILY = env.switch("WIKI_SAME_FAMILY", default=False)
# Whether evidence is fetched for all tags after a harvest, or only once an annotator opens a tag.
EVIDENCE_AHEAD = env.switch("EVIDENCE_AHEAD", default=True)
# Seconds after which the extraction of one page is stopped and the page is listed as not extracted.
EXTRACTION_SECONDS = env.seconds("EXTRACTION_SECONDS", default=20.0)

# --- Files that people bring ----------------------------------------------------------------------------------

# In bytes. A larger file of records is refused. Files are read and written in parts, so that the export of a large
# project can be imported.
IMPORT_MAX_BYTES = env.number("IMPORT_MAX_BYTES", default=1_000_000_000, least=1)

# --- Models ---------------------------------------------------------------------------------------------------

# Hosts that models may be asked at: `host`, `host:port`, `.example.org` (and all below it) or `*`.
# By default, models on this machine if the site is for this machine only; on a server none: what listens there on
# the loopback interface trusts whoever runs on the machine, and admins of the site need not be such people.
THIS_MACHINE = ["localhost", "127.0.0.1", "[::1]"] if SITE_IS_LOCAL else []
LLM_ALLOWED_HOSTS = env.hosts("LLM_ALLOWED_HOSTS", THIS_MACHINE)
# Names of the environment variables that hold keys of models. No other variable is ever read for one.
LLM_KEY_NAMES = env.variables("LLM_KEY_NAMES")
# The hosts that each of these may be sent to, as `NAME@host`. One that is not listed goes to any host of models.
LLM_KEY_HOSTS = env.key_hosts("LLM_KEY_HOSTS", LLM_KEY_NAMES)
# How many calls one worker process waits for at a time, over all models. Each model also has its own limit.
# The currency of the models' prices, and with them of budgets and costs: its sign or code.
CURRENCY = env.currency("CURRENCY", "US$")
LLM_WORKER_CALLS = env.number("LLM_WORKER_CALLS", default=128, least=1)
# Days for which the replies of calls are kept on disk once they are in the database, for one that is restored from an
# older backup; 0: not at all.
REPLIES_KEPT_DAYS = env.number("REPLIES_KEPT_DAYS", default=21)
# In seconds. A worker renews the lease of the calls it waits for; when it stops, they are released after this time.
CALL_LEASE_SECONDS = env.seconds("CALL_LEASE_SECONDS", default=45.0)
# The longest first pause, in seconds, before a call that was not paid is tried again. It doubles each time.
CALL_BACKOFF_SECONDS = env.seconds("CALL_BACKOFF_SECONDS", default=1.0)
# Folders with models that the worker loads to check candidates and evidence and to rank counterparts, by what they
# measure. Nothing is ever fetched. The libraries come with the extra `local-models`.
LOCAL_MODELS = {
    "nli": env.text("LOCAL_NLI_MODEL"),
    "next_sentence": env.text("LOCAL_NEXT_SENTENCE_MODEL"),
    "perplexity": env.text("LOCAL_PERPLEXITY_MODEL"),
    "sentence_encoder": env.text("LOCAL_SENTENCE_ENCODER"),
}
# A folder with the model by which BERTScore compares quotes with evidence, where `read_responses` is run.
LOCAL_BERTSCORE_MODEL = env.text("LOCAL_BERTSCORE_MODEL")
# A folder with the tokenizer by which the lengths of documents are counted.
LOCAL_TOKENIZER = env.text("LOCAL_TOKENIZER")
# How often a provider is asked for a batch, at first; and how long a request to create one may be under way.
BATCH_POLL_SECONDS = env.seconds("BATCH_POLL_SECONDS", default=15.0)
BATCH_GRACE_SECONDS = env.seconds("BATCH_GRACE_SECONDS", default=300.0)

# --- Webhooks -------------------------------------------------------------------------------------------------

# Hosts that may be sent events, in the form of LLM_ALLOWED_HOSTS and with its default.
WEBHOOK_ALLOWED_HOSTS = env.hosts("WEBHOOK_ALLOWED_HOSTS", THIS_MACHINE)

# --- Programs -------------------------------------------------------------------------------------------------

# Requests to the API that one person may make in a minute; 0: no limit. Each web process counts for itself unless a
# cache is shared.
API_REQUESTS_PER_MINUTE = env.number("API_REQUESTS_PER_MINUTE", default=600)
API_URLS = "config.api_urls"
REST_FRAMEWORK = {"DEFAULT_SCHEMA_CLASS": "core.api.description.Description"}
SPECTACULAR_SETTINGS = {
    "TITLE": "WikiContradict Workbench",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVERS": [{"url": "/api/v1"}],
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/",
    "PATH_CONVERTER_OVERRIDES": {"row": int},
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [],  # values that can be chosen stand where they are chosen
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer", "description": "A token from the account page."},
            "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
        }
    },
}

# --- Pages ----------------------------------------------------------------------------------------------------

# English unless a person or a browser wants another of these: docs/languages.md says how to add one.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["core.languages.formats"]
MESSAGE_STORAGE = "core.languages.storing.MessagesInTheirLanguage"
TIME_ZONE = env.time_zone("TIME_ZONE")
USE_TZ = True
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served from the sources, without a build step. The version stands before the name: what a script imports has the
# same one, and a browser may keep it all.
STATIC_URL = f"static/{version_of(BASE_DIR / 'static')}/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_MAX_AGE = 0 if DEBUG else 60 * 60 * 24 * 30
DATA_UPLOAD_MAX_MEMORY_SIZE = 5_000_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
        # Browsers tell the site of what they refused; it is logged.
        "report-uri": "/csp-report/",
    }
}

# --- Seeing what goes on --------------------------------------------------------------------------------------

# The token that a monitoring program sends to read figures at /metrics/; without it, there is no such page.
METRICS_TOKEN = env.token("METRICS_TOKEN")
# After so long without a sign of the worker or the clock, admins get mail and webhooks a message; 0: never.
ALARM_AFTER_SECONDS = env.number_or_never("ALARM_AFTER_SECONDS", default=300, least=60)
SENTRY_DSN = env.sentry("SENTRY_DSN")
LOG_FILE = env.inside("LOG_FILE", VAR_DIR)
LOGGING = logging_settings(
    level=env.log_level("LOG_LEVEL"),
    form=env.one_of("LOG_FORMAT", "keys", FORMATS, such_as="keys or json"),
    file=LOG_FILE,
    days=env.number("LOG_DAYS", default=14, least=1),
)
