"""One wiki's api.php, asked one question at a time, politely.

Follows https://www.mediawiki.org/wiki/API:Etiquette: says who is asking, takes compressed replies, backs off when the
replicas lag (`maxlag`) or when told to (`Retry-After`), and retries temporary failures with growing pauses.
"""

import functools
import json
import re
import socket
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import requests
import urllib3
from django.conf import settings

from core.backoff import doubled, seconds_asked_for
from core.hosts import checked_session
from core.languages import joined, say
from core.refusals import Refusal

from .address import refuse_unasked
from .errors import ApiError, AskedToWait, NotAnApi, NotAsked, Refused, Unreachable, WikiError

LONGEST_QUERY = 6_000  # characters of a GET; servers refuse from about 8,000, so longer queries are posted
MOST_BYTES = 64 * 2**20  # bytes of a reply, unpacked; MediaWiki stops at 8 MiB of content
MOST_REDIRECTS = 3
LONGEST_PAUSE = 60.0
# Until the wiki has answered once, no answer means a wrong address more often than a bad moment.
MOST_TRIES, MOST_FIRST_TRIES = 7, 3
WAIT_CODES = {"maxlag", "ratelimited", "readonly"}


@functools.cache
def version() -> str:
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    return tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]


def user_agent(contact: str) -> str:
    """Program, version and its operators' contact, as https://w.wiki/4wJS asks; without a contact, the host name."""
    contact = re.sub(r"[^\x21-\x27\x2a-\x7e]+", " ", contact).strip() or f"workbench@{socket.gethostname()}"
    return f"WikiContradictWorkbench/{version()} ({contact}) python-requests/{requests.__version__}"


class Endpoint:
    """Sends queries and returns the decoded reply, or raises a `WikiError`."""

    def __init__(
        self,
        url: str,
        *,
        contact: str = "",
        session: requests.Session | None = None,
        maxlag: int = 5,
        timeout: tuple[float, float] = (10.0, 60.0),
        longest_reply: float = 300.0,
        max_wait: float = 600.0,
        sleep: Callable[[float], None] = time.sleep,
    ):
        """All in seconds: `timeout` for connecting and for each piece of the reply, `longest_reply` for a whole
        reply, and `max_wait` for all the pauses of one query together."""
        self.url = url
        self.host = urlsplit(url).hostname or url
        self.max_wait = max_wait
        self._contact = contact
        self._session = session or checked_session(local=settings.LOCAL_WIKIS)
        self._headers = {"User-Agent": user_agent(contact), "Accept-Encoding": "gzip"}
        self._maxlag = maxlag
        self._timeout = timeout
        self._longest_reply = longest_reply
        self._sleep = sleep
        self._has_answered = False

    def query(self, **parameters: str | int) -> dict[str, Any]:
        """The reply to `action=query`. Waits and retries while that is useful. Raises WikiError."""
        question = {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "maxlag": str(self._maxlag),
            **{name: str(value) for name, value in parameters.items()},
        }
        waited, tries = 0.0, 0
        while True:
            try:
                reply = self._ask(question)
            except WikiError as problem:
                tries += 1
                pause = max(problem.retry_after or 0.0, doubled(tries, first=1.0, most=LONGEST_PAUSE))
                if not problem.passing or self._is_enough(problem, tries) or waited + pause > self.max_wait:
                    raise
                self._sleep(pause)
                waited += pause
            else:
                self._has_answered = True
                return reply

    def _is_enough(self, problem: WikiError, tries: int) -> bool:
        if isinstance(problem, AskedToWait):
            return False  # it is up, and says when to come back
        return tries >= (MOST_TRIES if self._has_answered else MOST_FIRST_TRIES)

    def _ask(self, question: dict[str, str]) -> dict[str, Any]:
        for _ in range(MOST_REDIRECTS):
            started = time.monotonic()
            try:
                refuse_unasked(self.url, contact=self._contact)  # each time: a redirect may have changed the port
                with self._send(question) as response:
                    if not response.is_redirect:
                        return self._understand(response, self._read(response, started))
                    self.url = self._redirected(response)
            except Refusal as refusal:
                raise NotAsked(refusal.message) from refusal
            except (requests.exceptions.SSLError, urllib3.exceptions.SSLError) as error:
                raise WikiError(
                    say("{host} has no valid certificate: {error}", host=self.host, error=error)
                ) from error
            except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
                raise Unreachable(say("{host} did not answer in time.", host=self.host)) from error
            except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema) as error:
                raise WikiError(say("{url} is not an address that can be asked.", url=self.url)) from error
            except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
                raise Unreachable(
                    say(
                        "{host} cannot be reached, or the connection was lost ({cause}).",
                        host=self.host,
                        cause=cause(error),
                    )
                ) from error
        raise NotAnApi(
            say("{host} redirects every request to another address. Give the address of its api.php.", host=self.host)
        )

    def _send(self, question: dict[str, str]) -> requests.Response:
        encoded = urlencode(question)
        options: dict[str, Any] = {
            "headers": self._headers,
            "timeout": self._timeout,
            "stream": True,
            "allow_redirects": False,
        }
        if len(encoded) <= LONGEST_QUERY:
            return self._session.get(f"{self.url}?{encoded}", **options)
        return self._session.post(self.url, data=question, **options)

    def _redirected(self, response: requests.Response) -> str:
        """The new address of the api.php; only the same server, or its https, is followed."""
        old = urlsplit(self.url)
        new = urlsplit(urljoin(self.url, response.headers["Location"]))
        same_server = new.netloc == old.netloc and new.scheme == old.scheme
        now_secure = new.scheme == "https" and new.netloc == old.hostname and old.port in (None, 80)
        if not (same_server or now_secure):
            raise Refused(
                say(
                    "{host} redirects us to {scheme}://{netloc}, which was not followed. If that is the wiki, "
                    "allow it under that address.",
                    host=self.host,
                    scheme=new.scheme,
                    netloc=new.netloc,
                )
            )
        return new._replace(query="", fragment="").geturl()

    def _read(self, response: requests.Response, started: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := response.raw.read1(65536, decode_content=True):
            size += len(part)
            if size > MOST_BYTES:
                raise NotAnApi(
                    say(
                        "{host} sent more than {most} MiB in one reply; it was not read.",
                        host=self.host,
                        most=MOST_BYTES // 2**20,
                    )
                )
            if time.monotonic() - started > self._longest_reply:
                raise Unreachable(
                    say(
                        "{host} is too slow: a reply took over {seconds:g} seconds.",
                        host=self.host,
                        seconds=self._longest_reply,
                    )
                )
            parts.append(part)
        return b"".join(parts)

    def _understand(self, response: requests.Response, body: bytes) -> dict[str, Any]:
        status, retry_after = response.status_code, seconds_asked_for(response.headers.get("Retry-After"))
        if status == 429:
            asked = say("{host} has received too many requests.", host=self.host)
            raise AskedToWait(wait_message(asked, retry_after), retry_after=retry_after)
        if status == 503 and retry_after is not None:
            asked = say("{host} is busy.", host=self.host)
            raise AskedToWait(wait_message(asked, retry_after), retry_after=retry_after)
        if status >= 500:
            raise Unreachable(
                say("{host} has a problem (status {status}).", host=self.host, status=status), retry_after=retry_after
            )
        if status in (401, 403):
            raise Refused(
                say(
                    "{host} refused the request (status {status}). Wikis do so when the User-Agent does not say "
                    "how to reach you: set WIKI_CONTACT to an email address or web page. Sent was: {user_agent}",
                    host=self.host,
                    status=status,
                    user_agent=self._headers["User-Agent"],
                )
            )
        if status != 200:
            raise NotAnApi(
                say(
                    "{url} answers with status {status}. Is it the address of the wiki's api.php?",
                    url=self.url,
                    status=status,
                )
            )
        reply = self._decode(body)
        if "error" in reply:
            raise self._error(reply["error"], retry_after)
        return reply

    def _decode(self, body: bytes) -> dict[str, Any]:
        if body.strip() and not body.lstrip().startswith(b"{"):
            raise NotAnApi(
                say(
                    "{url} answers with a page instead of JSON. Is it the address of the wiki's api.php?",
                    url=self.url,
                )
            )
        try:
            reply = json.loads(body)
        except RecursionError:
            raise NotAnApi(say("{host} sent JSON nested too deep to be read.", host=self.host)) from None
        except ValueError as error:
            raise Unreachable(say("{host} sent a reply that broke off in the middle.", host=self.host)) from error
        return reply

    def _error(self, error: Any, retry_after: float | None) -> WikiError:
        code = str(error.get("code", "")) if isinstance(error, dict) else ""
        info = str(error.get("info", "no reason given"))[:500] if isinstance(error, dict) else str(error)[:500]
        if code in WAIT_CODES:
            asked = say("{host} asks us to wait ({info}).", host=self.host, info=info)
            return AskedToWait(wait_message(asked, retry_after), retry_after=retry_after)
        if code.startswith("internal_api_error"):
            return Unreachable(say("{host} has a problem: {info}", host=self.host, info=info))
        if code == "readapidenied":
            return Refused(say("{host} can only be read by its members: {info}", host=self.host, info=info))
        return ApiError(say("{host} says: {info} ({code})", host=self.host, info=info, code=code), code=code)


def wait_message(asked: str, retry_after: float | None) -> str:
    """The sentence in which the wiki asked us to wait, and what to do then."""
    when = say("It asks us to try again in {seconds:.0f} seconds.", seconds=retry_after) if retry_after else ""
    kept = say("What was fetched is kept; continue later.")
    return joined(filter(None, [asked, when, kept]))


def cause(error: BaseException) -> str:
    """The innermost reason in a chain of network errors, in a few words."""
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__)[:200]
