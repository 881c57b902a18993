"""Checks and corrects addresses in settings: passwords with reserved characters, origins, hosts. Never repeats a
password."""

import re
from urllib.parse import quote, urlsplit

# User name, password (greedy: up to the last @), host.
WITH_PASSWORD = re.compile(r"^(?P<scheme>[a-z][a-z0-9+.-]*://)(?P<user>[^:/?#]*):(?P<password>.+)@(?P<rest>[^@]*)$")
HOST = re.compile(r"(\*|\.?[\w.-]+(:\d{1,5})?|\[[0-9a-fA-F:]+\](:\d{1,5})?)")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def with_quoted_password(url: str) -> str:
    """The same address with the reserved characters of its user name and password percent-encoded, so that every
    library reads the same host. A % that begins no code counts as itself."""
    parts = WITH_PASSWORD.match(url)
    if not parts:
        return url
    user, password = (_quoted(parts[name]) for name in ("user", "password"))
    return f"{parts['scheme']}{user}:{password}@{parts['rest']}"


def _quoted(text: str) -> str:
    codes = re.split(r"(%[0-9a-fA-F]{2})", text)
    return "".join(part if number % 2 else quote(part, safe="") for number, part in enumerate(codes))


def with_password(url: str, password: str) -> str:
    """The address with this password, unless it has one. The address must name a user or a host."""
    parts = urlsplit(with_quoted_password(url))
    if not password or parts.password:
        return url
    user, at, host = parts.netloc.rpartition("@")
    name = user.removesuffix(":") if at else ""
    return parts._replace(netloc=f"{name}:{quote(password, safe='')}@{host}").geturl()


def is_origin(text: str) -> bool:
    """Return whether this is an origin, such as https://workbench.example.org."""
    try:
        parts = urlsplit(text)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    rest = (parts.path.rstrip("/"), parts.query, parts.fragment, parts.username or "")
    return parts.scheme in ("http", "https") and bool(parts.hostname) and has_port and not any(rest)


def is_host(text: str) -> bool:
    """Return whether this is a host as lists of hosts have it: `host`, `host:port`, `.example.org` or `*`."""
    return bool(HOST.fullmatch(text))


def is_variable(text: str) -> bool:
    """Return whether an environment variable can have this name."""
    return bool(VARIABLE.fullmatch(text))
