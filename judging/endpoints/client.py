"""One chat call to an OpenAI-compatible endpoint, through the official client, with an exact report of its outcome.

`complete_chat` returns a `ChatReply` or raises one of four failures, which say whether the call was paid:

    NotSent      no byte of the request left: the call was not paid and may be repeated
    RateLimited  the endpoint refused it with 429: not paid, may be repeated after `retry_after`
    InDoubt      it was sent and its outcome is not known: perhaps paid, not to be repeated by a program
    Rejected     the endpoint, or a rule of this deployment, refused it: final until an admin changes something

The proof of NotSent is not the exception's type but the wire: a trace on the HTTP client says when the first byte of
the request goes out (connecting, TLS and a proxy's CONNECT come before that). The client's own retries are off, as
they would pay again for a call that timed out. Redirects are not followed: they would leak the key.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

from .addresses import Endpoint, EndpointRefused, check_base_url, read_key
from .connections import Wire, a_connection, call_url, client, current_wire, standing_headers
from .extras import check_headers, check_query, read_headers
from .failures import CallFailed, InDoubt, NotSent, Rejected, words_of
from .replies import ChatReply, read_reply
from .requests import CHAT_PATH
from .statuses import failure_of_status, pause_asked_for

MAX_REPLY_BYTES = 32_000_000
Options = dict[str, Any]
Ask = Callable[[openai.OpenAI, Options], bytes]


@dataclass(frozen=True, slots=True)
class Secrets:
    """The key and the headers of an endpoint, read from the environment for one call."""

    key: str
    headers: dict[str, str]

    def __iter__(self) -> Iterator[str]:
        return iter([self.key, *self.headers.values()])


# --- The call -------------------------------------------------------------------------------------------------


def complete_chat(
    endpoint: Endpoint,
    request: dict[str, Any],
    *,
    request_key: str = "",
    on_arrival: Callable[[bytes], object] | None = None,
    path: str = CHAT_PATH,
) -> ChatReply:
    """Send `request` (from `requests.chat_request`) once and return the reply; thread-safe. `path` is its path below
    the endpoint's address, such as `requests.COMPLETIONS_PATH`.

    `on_arrival` gets the body of an answer before it is parsed, to be put on disk; its exceptions go to the caller.
    `request_key` is sent as the header X-Request-Key, so that your own server can count. Raises NotSent, RateLimited,
    InDoubt or Rejected, as described above.
    """
    secrets = prepare(endpoint)
    wire, body, started = Wire(endpoint.base_url), bytearray(), time.monotonic()
    deadline, failure = started + endpoint.timeout, None
    try:
        collect(endpoint, secrets, request, request_key, body, deadline=deadline, path=path, wire=wire)
    except Exception as error:
        failure = explain(error, endpoint, wire, raw=bytes(body))
    # Raised out here, the failure has no __context__ from which a report could reveal the request and its key. A body
    # that broke off after its last brace is complete.
    if failure and not (isinstance(failure, InDoubt) and is_whole(body)):
        raise scrubbed(failure, secrets)
    raw = scrub(bytes(body), secrets)
    if on_arrival:
        on_arrival(raw)
    return read_reply(raw, seconds=time.monotonic() - started)


def find_stored(endpoint: Endpoint, request_key: str) -> list[bytes]:
    """The bodies that the provider stored under this key (see `requests.chat_request`), for `read_reply`.

    Finding none proves nothing: a provider may take its time, or store nothing. Raises as `complete_chat` does; this
    call itself costs nothing and may be repeated.
    """
    secrets = prepare(endpoint)

    def send(api: openai.OpenAI, options: Options) -> bytes:
        metadata = {"request_key": request_key}
        return api.chat.completions.with_raw_response.list(metadata=metadata, **options).content

    found = through_client(endpoint, secrets, send).decode(errors="replace")
    with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
        return [scrub(json.dumps(each).encode(), secrets) for each in json.loads(found)["data"]]
    return []


def through_client(endpoint: Endpoint, secrets: Secrets, ask: Ask) -> bytes:
    """The result of `ask`, called with the official client and the options of each request to this endpoint. Raises
    as `complete_chat` does; an OSError, such as a full disk, goes to the caller.
    """
    wire = Wire(endpoint.base_url)
    token = current_wire.set(wire)
    options = {
        "extra_headers": headers_for(secrets),
        "extra_query": dict(endpoint.query),
        "timeout": timeout_of(endpoint),
    }
    try:
        return ask(client(endpoint.base_url, secrets.key), options)
    except OSError:
        raise
    except Exception as error:
        failure = explain(error, endpoint, wire, raw=b"")
    finally:
        current_wire.reset(token)
    raise scrubbed(failure, secrets)


def prepare(endpoint: Endpoint) -> Secrets:
    """The options of a call to this endpoint. Raises Rejected if the deployment does not allow the call."""
    try:
        check_base_url(endpoint.base_url)
        check_headers(endpoint.headers, has_key=bool(endpoint.key_name))
        check_query(endpoint.query)
        return Secrets(read_key(endpoint.key_name, endpoint.base_url), read_headers(endpoint))
    except EndpointRefused as refused:
        raise Rejected(str(refused), reason="endpoint") from None


def collect(
    endpoint: Endpoint,
    secrets: Secrets,
    request: dict[str, Any],
    request_key: str,
    body: bytearray,
    *,
    deadline: float,
    path: str,
    wire: Wire,
) -> None:
    """Send the request and fill `body` as data arrives, so that half a reply is kept if the rest never comes.
    `deadline` is in seconds of the monotonic clock.
    """
    # With the official client's headers, but past its checks and options, which take more CPU time than sending.
    sent = httpx2.Request(
        "POST",
        call_url(endpoint.base_url, path, tuple(endpoint.query.items())),
        headers=call_headers(endpoint.base_url, secrets, request_key),
        content=json.dumps(request, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(),
        extensions={"timeout": timeout_of(endpoint).as_dict(), "trace": wire.trace},
    )
    with a_connection(endpoint.base_url) as http, contextlib.closing(http.send(sent, stream=True)) as response:
        if not response.is_success:
            raise status_error(response)
        for chunk in response.iter_bytes():
            body += chunk
            if time.monotonic() > deadline:
                raise httpx2.ReadTimeout("the reply did not end in time")
            if len(body) > MAX_REPLY_BYTES:
                raise httpx2.RemoteProtocolError("the reply did not end")


def status_error(response: httpx2.Response) -> openai.APIStatusError:
    """The error of the official client for an answer other than a success."""
    response.read()
    said: Any = response.text
    with contextlib.suppress(ValueError, RecursionError):
        said = json.loads(said)
    said = said.get("error", said) if isinstance(said, dict) else said
    return openai.APIStatusError(f"status {response.status_code}", response=response, body=said)


def call_headers(base_url: str, secrets: Secrets, request_key: str) -> httpx2.Headers:
    headers = standing_headers(base_url, secrets.key).copy()
    headers.update(secrets.headers)
    if request_key:
        headers["X-Request-Key"] = request_key
    return headers


def headers_for(secrets: Secrets) -> dict[str, Any]:
    """The headers of a request through the official client besides its own."""
    headers: dict[str, Any] = {} if secrets.key else {"Authorization": openai.Omit()}
    for name, value in secrets.headers.items():
        headers["Authorization" if name.lower() == "authorization" else name] = value
    return headers


def timeout_of(endpoint: Endpoint) -> httpx2.Timeout:
    return httpx2.Timeout(endpoint.timeout, connect=endpoint.connect_timeout, pool=endpoint.connect_timeout)


def is_whole(body: bytes | bytearray) -> bool:
    with contextlib.suppress(ValueError, RecursionError):
        return isinstance(json.loads(body), dict)
    return False


def scrub(data: bytes, secrets: Iterable[str]) -> bytes:
    """`data` without the key and other secrets, which some servers repeat in their answers. Very short ones are not
    secrets."""
    for secret in secrets:
        if len(secret) >= 6:
            data = data.replace(secret.encode(), b"[key]")
    return data


def scrubbed(failure: CallFailed, secrets: Secrets) -> CallFailed:
    failure.message = scrub(failure.message.encode(errors="replace"), secrets).decode(errors="replace")
    failure.args = (failure.message,)
    failure.raw = scrub(failure.raw, secrets)
    return failure


# --- What went wrong ------------------------------------------------------------------------------------------


def explain(error: Exception, endpoint: Endpoint, wire: Wire, *, raw: bytes) -> CallFailed:
    """The failure for `error`."""
    if isinstance(error, openai.APIStatusError):
        return explain_status(error, endpoint)
    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) and error.__cause__ else error
    where = endpoint.base_url
    if isinstance(cause, httpx2.ProxyError):
        return NotSent(f"The proxy did not connect to {where}: {cause}", reason="proxy")
    if not wire.sent:
        return explain_not_sent(cause, where)
    if isinstance(cause, httpx2.TimeoutException):
        return InDoubt(
            f"{where} did not answer within {endpoint.timeout:g} seconds. The call may still have succeeded "
            "and been paid.",
            reason="time-out",
            raw=raw,
        )
    is_cut = isinstance(cause, httpx2.NetworkError | httpx2.RemoteProtocolError)
    what = "in the middle of the reply" if wire.answered else "before a reply"
    return InDoubt(
        f"The connection to {where} broke off {what}: {cause}",
        reason="broken off",
        raw=raw,
        before_reply=is_cut and not wire.answered,
    )


def explain_not_sent(cause: BaseException, where: str) -> CallFailed:
    if isinstance(cause, httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return NotSent(f"No connection to {where} in time. Nothing was sent.", reason="connect time-out")
    if isinstance(cause, httpx2.ConnectError):
        reason = "refused" if "refused" in str(cause) else "no connection"
        return NotSent(
            f"No connection to {where}: {cause}. Is the server running, and is the address correct?", reason=reason
        )
    if isinstance(cause, httpx2.TransportError) and not isinstance(
        cause, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError
    ):
        return NotSent(f"No connection to {where}: {type(cause).__name__}.", reason="no connection")
    if isinstance(cause, EndpointRefused):
        return Rejected(str(cause), reason="endpoint")
    # The message of such an error can hold the header with the key; its name is enough.
    return Rejected(f"The request could not be put together ({type(cause).__name__}).", reason="request")


def explain_status(error: openai.APIStatusError, endpoint: Endpoint) -> CallFailed:
    headers = error.response.headers
    return failure_of_status(
        error.status_code,
        {"code": error.code, "type": error.type},
        words_of(error.body),
        where=endpoint.base_url,
        key_name=endpoint.key_name,
        target=headers.get("location", ""),
        retry_after=pause_asked_for(headers),
        raw=body_of(error),
    )


def body_of(error: openai.APIStatusError) -> bytes:
    with contextlib.suppress(httpx2.StreamError):
        return error.response.content
    return b""
