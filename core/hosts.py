"""Decides to which hosts this program connects, for wikis, models and webhooks.

Two things must hold. The host is in the deployment's list (WIKI_ALLOWED_HOSTS, LLM_ALLOWED_HOSTS,
WEBHOOK_ALLOWED_HOSTS). And its address may be connected to: public addresses always; an address on this machine or in
a private network only if the deployment allows it (LOCAL_WIKIS; for models and webhooks, the host by name in the
list); link-local and metadata addresses never, as cloud machines hand out their credentials there. The address is
checked when the connection is made, so a name that resolves differently a moment later gains nothing. With a proxy
(HTTPS_PROXY), it is the proxy that connects.
"""

import ipaddress
import socket
from collections.abc import Iterable

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import LocationParseError, NameResolutionError

from .refusals import Refusal

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Metadata services outside the link-local ranges: AWS over IPv6, Alibaba, Oracle, Azure.
METADATA = {
    ipaddress.ip_address(address) for address in ("fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16")
}
# Prefixes under which IPv6 carries an IPv4 address: NAT64 (RFC 6052) and IPv4-compatible.
CARRIERS = [ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96")]
PROTOCOL_ASSIGNMENTS = ipaddress.IPv4Network("192.0.0.0/24")  # Python calls some of these global
# Local-use NAT64 (RFC 8215): the address does not say what is behind it.
LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")


def is_listed(host: str, port: int | None, allowed: Iterable[str]) -> bool:
    return any(host_matches(host, port, entry) for entry in allowed)


def host_matches(host: str, port: int | None, allowed: str) -> bool:
    """Return whether `allowed` covers the host: `host`, `host:port`, `.example.org` (and all its subdomains) or
    `*`."""
    allowed = allowed.strip().lower()
    name, bracket, rest = allowed.removeprefix("[").partition("]")
    if bracket:  # [::1] or [::1]:8000
        wanted_port = rest.removeprefix(":")
    elif allowed.count(":") == 1:
        name, _, wanted_port = allowed.partition(":")
    else:
        name, wanted_port = allowed, ""
    if wanted_port and wanted_port != str(port or ""):
        return False
    return name == "*" or host == name or (name.startswith(".") and (host.endswith(name) or host == name[1:]))


def is_local_host(host: str) -> bool:
    """Return whether the host, as written, is this machine or an address in a private network. Does no DNS lookup."""
    host = host.strip("[]").lower().rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not _is_public(_real(_dotted(host)))
    except ValueError:
        return False


def _dotted(host: str) -> str:
    """An IPv4 address in its usual form if the host is one in another form that systems connect to: 2130706433,
    0x7f.1, 127.1. Any other host unchanged."""
    if not host[:1].isdigit():
        return host
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, ValueError):
        return host


# Endings of names that only private networks have (RFC 6762, RFC 8375, and the top-level domain kept for it).
PRIVATE_ENDINGS = (".local", ".internal", ".home.arpa", ".lan")


def may_be_asked_openly(host: str) -> bool:
    """Return whether the host may be asked without TLS: this machine, an address in a private network, or a name that
    only a private network has, such as `gpu7` or `gpu7.internal`. Does no DNS lookup."""
    name = host.strip("[]").lower().rstrip(".")
    is_name_within = bool(name) and ":" not in name and ("." not in name or name.endswith(PRIVATE_ENDINGS))
    return is_local_host(host) or is_name_within


def address_problem(address: str, *, local: bool) -> str:
    """The reason why the program will not connect to this IP address (as text); "" if it will. `local` says whether
    private addresses are allowed.
    """
    ip = _real(address)
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified or ip in METADATA or ip in LOCAL_NAT64:
        return "a link-local, multicast or metadata address"
    if not local and not _is_public(ip):
        return "this machine or a private network"
    return ""


def _real(address: str) -> Address:
    """The effective address: the IPv4 address that an IPv6 address carries, if any."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv4Address):
        return ip
    carried = ip.ipv4_mapped or ip.sixtofour
    if carried is None and int(ip) > 1 and any(ip in network for network in CARRIERS):
        carried = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return carried or ip


def _is_public(ip: Address) -> bool:
    if isinstance(ip, ipaddress.IPv6Address):
        return ip.is_global and not ip.is_site_local
    return ip.is_global and ip not in PROTOCOL_ASSIGNMENTS


def refused_message(host: str, problem: str) -> str:
    return f"{host} resolves to {problem}, which is not allowed. Nothing was sent there."


def checked_addresses(host: str, port: int, *, local: bool) -> list[str]:
    """The addresses that a name resolves to now, all of them allowed, in the order in which to try them. `local`
    allows private ones.

    Raises `Refusal` if one of them is not allowed, and `OSError` if the name does not resolve.
    """
    found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    refuse_addresses(host, addresses, local=local)
    return addresses


def refuse_addresses(host: str, addresses: Iterable[str], *, local: bool) -> None:
    for address in addresses:
        if problem := address_problem(address, local=local):
            raise Refusal(refused_message(host, problem), status=400)


# --- Connections of `requests` ------------------------------------------------------------------------------------


class _Checked:
    """Resolves a name once, and connects only to the addresses that passed. Mixed into urllib3's connections."""

    local = False

    def _new_conn(self) -> socket.socket:
        name = self._dns_host  # type: ignore[has-type]
        try:
            addresses = checked_addresses(name, self.port, local=self.local)  # type: ignore[attr-defined]
        except OSError as error:  # not resolved again: the answer could be different
            raise NameResolutionError(name, self, error) from error  # type: ignore[arg-type]
        except UnicodeError:
            raise LocationParseError(f"{name!r}, label empty or too long") from None
        try:
            for address in addresses[:-1]:
                self._dns_host = address
                try:
                    return super()._new_conn()  # type: ignore[misc]
                except Exception:  # noqa: S112  # urllib3 has several kinds; the next address may do
                    continue
            self._dns_host = addresses[-1]
            return super()._new_conn()  # type: ignore[misc]
        finally:
            self._dns_host = name  # the certificate is for the name


def _pool_classes(local: bool) -> dict[str, type]:
    http = type("CheckedHTTPConnection", (_Checked, HTTPConnection), {"local": local})
    https = type("CheckedHTTPSConnection", (_Checked, HTTPSConnection), {"local": local})
    return {
        "http": type("CheckedHTTPPool", (HTTPConnectionPool,), {"ConnectionCls": http}),
        "https": type("CheckedHTTPSPool", (HTTPSConnectionPool,), {"ConnectionCls": https}),
    }


class CheckedAdapter(HTTPAdapter):
    """Connects only to allowed addresses. A proxy from the environment is itself the peer."""

    def __init__(self, *, local: bool) -> None:
        self._local = local
        super().__init__()

    def init_poolmanager(self, *args, **kwargs) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _pool_classes(self._local)


def checked_session(*, local: bool) -> requests.Session:
    """A session that connects only to allowed addresses, and to private ones only if `local`."""
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, CheckedAdapter(local=local))
    return session
