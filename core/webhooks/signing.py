"""The secret of a webhook, and the signature of a message: https://www.standardwebhooks.com.

The secret is never stored. It is computed from the webhook's salt and the site's SECRET_KEY, so that a copy of the
database signs nothing. With another SECRET_KEY, each webhook has another secret, too.
"""

import base64
import hashlib
import hmac
from datetime import datetime

from django.utils.crypto import salted_hmac

PREFIX = "whsec_"


def secret_of(salt: str) -> str:
    """The secret in the receiver's form: `whsec_`, then 32 bytes in base64."""
    return PREFIX + base64.b64encode(salted_hmac("core.webhooks", salt, algorithm="sha256").digest()).decode()


def signed_headers(*, secret: str, key: str, body: bytes, at: datetime) -> dict[str, str]:
    """The headers of a message: its id, the time of this attempt, and the signature over both and the body."""
    timestamp = str(int(at.timestamp()))
    signed = f"{key}.{timestamp}.".encode() + body
    digest = hmac.new(base64.b64decode(secret.removeprefix(PREFIX)), signed, hashlib.sha256).digest()
    return {
        "webhook-id": key,
        "webhook-timestamp": timestamp,
        "webhook-signature": "v1," + base64.b64encode(digest).decode(),
    }
