"""The client address of a request: limits count by it, and it decides whether a site is local."""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest

THIS_MACHINE = "127.0.0.1"


def client_address(request: HttpRequest) -> str:
    """The client's IP address. Any client can send X-Forwarded-For, so it is read only from the proxies in
    `TRUSTED_PROXIES`, from its end and only past these. A server on a socket file is reached only from its own
    machine, and trusts it.
    """
    trusted = _networks(tuple(settings.TRUSTED_PROXIES))
    address = _read(request.META.get("REMOTE_ADDR", "")) or THIS_MACHINE
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    while _is_in(address, trusted) and hops:
        further = _read(hops.pop())
        if further is None:
            break
        address = further
    return address


def is_on_this_machine(address: str) -> bool:
    """Return whether an IP address, as text, is a loopback address."""
    return ipaddress.ip_address(address).is_loopback


@lru_cache
def _networks(names: Iterable[str]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    return [ipaddress.ip_network(name, strict=False) for name in names]


def _is_in(address: str, networks: list) -> bool:
    ip = ipaddress.ip_address(address)
    return ip.is_loopback or any(ip in network for network in networks)


def _read(text: str) -> str | None:
    """The IP address in `text` as proxies write it, perhaps with a port; None if there is none. An IPv4 address
    inside IPv6 becomes the IPv4 address."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        ip = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return str(mapped or ip)
