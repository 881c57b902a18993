"""Checks of other machines: a connection, and the certificate that the machine shows, judged by the system's list."""

import os
import socket
import ssl
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..hosts import checked_addresses
from ..languages import say
from ..refusals import Refusal
from .checks import Finding, State

SECONDS = 5.0
# Days before its end at which a certificate is worth a warning.
ENDS_SOON = 14
PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


@dataclass(frozen=True, slots=True)
class Peer:
    """A host that this site connects to. `local` says whether it may be in a private network."""

    name: str
    url: str
    local: bool


def host_findings(peers: Sequence[Peer]) -> Iterator[Finding]:
    """One finding per host, in order. All are asked side by side; each takes a few seconds at most."""
    by_host = {urlsplit(peer.url).netloc: peer for peer in reversed(peers)}
    unique = [peer for peer in peers if by_host[urlsplit(peer.url).netloc] is peer]
    if not unique:
        return
    with ThreadPoolExecutor(max_workers=min(16, len(unique))) as pool:
        yield from pool.map(host_finding, unique)


def host_finding(peer: Peer) -> Finding:
    """Connect to the host, over TLS if its address says so. Nothing is sent beyond the handshake."""
    if has_proxy():
        todo = say("Nothing to do, if calls succeed: with a proxy, this page makes no connection of its own.")
        return Finding(peer.name, State.UNKNOWN, say("It is reached through a proxy, and was not checked."), todo)
    parts = urlsplit(peer.url)
    host, is_tls = parts.hostname or "", parts.scheme == "https"
    try:
        port = parts.port or (443 if is_tls else 80)
        addresses = checked_addresses(host, port, local=peer.local)
        ends = _connect(host, addresses, port, is_tls)
    except Refusal as refused:
        todo = say("Correct its address, or allow it: see LOCAL_WIKIS and LLM_ALLOWED_HOSTS in settings.md.")
        return Finding(peer.name, State.FAILED, refused.message, todo)
    except ssl.SSLCertVerificationError as error:
        todo = say(
            "Install the certificate's authority on this machine (update-ca-certificates), or correct the server."
        )
        sentence = say(
            "{host} shows a certificate that this system does not trust: {verify_message}.",
            host=host,
            verify_message=error.verify_message,
        )
        return Finding(peer.name, State.FAILED, sentence, todo)
    except (OSError, ValueError, UnicodeError) as error:
        todo = say("See that the host is up and that this machine may reach it (firewall, DNS).")
        return Finding(
            peer.name,
            State.FAILED,
            say("{host} cannot be reached: {reason}.", host=host, reason=_reason(error)),
            todo,
        )
    return _reached(peer.name, host, ends)


def has_proxy(names: Iterable[str] = PROXIES) -> bool:
    return any(os.environ.get(name, "").strip() for name in names)


def _connect(host: str, addresses: Sequence[str], port: int, is_tls: bool) -> float | None:
    """Connect to the first address that answers. Returns the end of the certificate (seconds since 1970); None
    without TLS."""
    problem: OSError = OSError("it has no address")
    for address in addresses[:3]:
        try:
            with socket.create_connection((address, port), timeout=SECONDS) as plain:
                if not is_tls:
                    return None
                with ssl.create_default_context().wrap_socket(plain, server_hostname=host) as secured:
                    shown = secured.getpeercert() or {}
                    return ssl.cert_time_to_seconds(str(shown["notAfter"]))
        except ssl.SSLCertVerificationError:
            raise
        except OSError as error:
            problem = error
    raise problem


def _reached(name: str, host: str, ends: float | None) -> Finding:
    if ends is None:
        return Finding(name, State.OK, say("{host} answers (without TLS).", host=host))
    days = int((ends - time.time()) // 86_400)
    if days < ENDS_SOON:
        todo = say("Tell the people who run it, or renew it if it is yours.")
        return Finding(
            name,
            State.WARNING,
            say("{host} answers; its certificate ends in {days} days.", host=host, days=days),
            todo,
        )
    return Finding(
        name,
        State.OK,
        say("{host} answers, and this system trusts its certificate for {days} days more.", host=host, days=days),
    )


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return say("no answer within {seconds:.0f} seconds", seconds=SECONDS)
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")
