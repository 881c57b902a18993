"""Settings of a site whose accounts can sign in here, by OpenID Connect."""

import re
from typing import Any
from urllib.parse import urlsplit

from config.reading.environment import BadSetting


def provider_id_of(issuer: str) -> str:
    """The issuer's address as a part of an address: accounts of two issuers are never mixed up by it."""
    return re.sub("[^a-z0-9]+", "-", issuer.partition("://")[2].lower())


def oidc_provider(*, issuer: str, provider_id: str, client_id: str, secret: str) -> dict[str, Any]:
    """Allauth's setting for a provider of OpenID Connect; empty without an issuer.

    Raises BadSetting if the provider would be asked without TLS, or has no client.
    """
    if not issuer:
        return {}
    from core.hosts import may_be_asked_openly  # loads a client for HTTP, which few processes need so early

    host = urlsplit(issuer).hostname or ""
    if not issuer.startswith("https://") and not may_be_asked_openly(host):
        raise BadSetting("OIDC_ISSUER has to begin with https://.")
    if not client_id or not secret:
        raise BadSetting("OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, too.")
    # Claims are read from the ID token alone, whose issuer and audience are checked: no second answer can differ.
    about = {"server_url": issuer, "fetch_userinfo": False, "oauth_pkce_enabled": True}
    app = {"provider_id": provider_id, "name": host, "client_id": client_id, "secret": secret, "settings": about}
    return {"openid_connect": {"APPS": [app]}}
