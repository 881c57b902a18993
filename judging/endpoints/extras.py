"""Additional settings of an endpoint besides base URL and key: headers whose values are in environment variables, and
parameters of the address.

The values of headers are treated like keys: read where a call is made, from variables that the operator lists in
LLM_KEY_NAMES, and never stored, logged or shown. Parameters of the address are stored and shown, so no key may be
among them.
"""

import re
from collections.abc import Mapping

from core.languages import say

from .addresses import Endpoint, EndpointRefused, read_key

# A header's name (RFC 9110, section 5.6.2: token), as short as any in use.
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
# These frame the message, choose the connection, or are the client's own.
OURS = {
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "x-request-key",
}
PARAMETER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
PARAMETER_VALUE = re.compile(r"[\x20-\x7e]{1,200}")
SOUNDS_SECRET = re.compile(r"key|token|secret|passw|sig(nature)?$|credential|auth", re.IGNORECASE)
MOST = 20


def check_headers(headers: Mapping[str, str], *, has_key: bool) -> None:
    """Raises EndpointRefused if one of `headers` (name to variable) may not be sent. `has_key` says that a key goes
    out as Authorization."""
    if len(headers) > MOST:
        raise EndpointRefused(say("At most {most} headers can be set.", most=MOST))
    seen: set[str] = set()
    for name, variable in headers.items():
        lower = name.lower()
        if not HEADER_NAME.fullmatch(name):
            raise EndpointRefused(say("A header's name can contain letters, digits and hyphens, but no spaces."))
        if lower in OURS or lower.startswith(("proxy-", "x-stainless-")):
            raise EndpointRefused(say("The header {name} cannot be set: the program sends its own.", name=name))
        if lower == "authorization" and has_key:
            raise EndpointRefused(
                say("The key is sent as Authorization already. Leave the key empty to set this header.")
            )
        if lower in seen:
            raise EndpointRefused(say("The header {name} is given twice.", name=name))
        if not variable:
            raise EndpointRefused(say("The header {name} needs the name of the variable with its value.", name=name))
        seen.add(lower)


def check_query(query: Mapping[str, str]) -> None:
    """Raises EndpointRefused if one of these parameters of the address is malformed or sounds like a key."""
    if len(query) > MOST:
        raise EndpointRefused(say("At most {most} parameters can be set.", most=MOST))
    for name, value in query.items():
        if not PARAMETER_NAME.fullmatch(name):
            raise EndpointRefused(
                say("A parameter's name can contain letters, digits, dots, hyphens and underscores.")
            )
        if SOUNDS_SECRET.search(name):
            raise EndpointRefused(
                say("{name} looks like a key. Keys are never part of an address: send it as a header.", name=name)
            )
        if not PARAMETER_VALUE.fullmatch(value):
            raise EndpointRefused(
                say("The value of {name} must have 1 to 200 printable ASCII characters.", name=name)
            )


def read_headers(endpoint: Endpoint) -> dict[str, str]:
    """The headers with their values, from the environment. Raises EndpointRefused as `read_key` does."""
    return {name: read_key(variable, endpoint.base_url) for name, variable in endpoint.headers.items()}
