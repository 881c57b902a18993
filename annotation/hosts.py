"""Which network addresses this program connects to: what an admin allows, but never a metadata service.

Loopback and private addresses are fine, since an admin allows each server by hand. Link-local addresses are not: in
a data centre they answer with the machine's credentials to whoever asks from inside.
"""

import ipaddress
import socket

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from annotation.errors import Refusal

# Metadata services that live outside the link-local ranges: AWS over IPv6, Alibaba, Oracle.
METADATA = {ipaddress.ip_address(address) for address in ("fd00:ec2::254", "100.100.100.200", "192.0.0.192")}
# Prefixes under which IPv6 carries an IPv4 address: NAT64 (RFC 6052) and IPv4-compatible.
CARRIERS = [ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96")]


def is_refused(address: str) -> bool:
    """Whether an IP address, as text, is one that is never connected to."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        carried = ip.ipv4_mapped or ip.sixtofour
        if carried is None and int(ip) > 1 and any(ip in network for network in CARRIERS):
            carried = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        ip = carried or ip
    return ip.is_link_local or ip.is_multicast or ip.is_unspecified or ip in METADATA


def refuse_link_local(host: str) -> None:
    """Raises `Refusal` when the host is, or its name leads to, an address that is never connected to.

    A name that nobody knows passes: connecting will say so. As a name may lead elsewhere a moment later, the
    connection made is checked too: see `CheckedAdapter`.
    """
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host.strip("[]"), None)}
    except (OSError, UnicodeError):
        return
    if any(is_refused(address) for address in found):
        raise Refusal(refused_message(host), status=400)


def refused_message(host: str) -> str:
    return (
        f"{host} leads to a link-local, multicast or metadata address. Nothing was sent there. "
        "Give the address of a server that is meant to be reached over the network."
    )


def _checked(connection: socket.socket, host: str) -> socket.socket:
    if is_refused(connection.getpeername()[0]):
        connection.close()
        raise Refusal(refused_message(host), status=400)
    return connection


class CheckedHTTPConnection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return _checked(super()._new_conn(), self.host)


class CheckedHTTPSConnection(HTTPSConnection):
    def _new_conn(self) -> socket.socket:
        return _checked(super()._new_conn(), self.host)


class CheckedHTTPPool(HTTPConnectionPool):
    ConnectionCls = CheckedHTTPConnection


class CheckedHTTPSPool(HTTPSConnectionPool):
    ConnectionCls = CheckedHTTPSConnection


class CheckedAdapter(HTTPAdapter):
    """Looks at the peer of each connection before a byte is sent. A proxy from the environment is its own peer."""

    def init_poolmanager(self, *args, **kwargs) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": CheckedHTTPPool, "https": CheckedHTTPSPool}


def checked_session() -> requests.Session:
    """A session that connects to no refused address."""
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, CheckedAdapter())
    return session
