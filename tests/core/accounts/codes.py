"""An authenticator app and recovery codes, as a person has them."""

import base64
import hmac
import struct
import time

from django.test import Client


def code_of(secret: str, *, steps: int = 0) -> str:
    """The six digits that an app shows for this key (RFC 6238), now or some half minutes later."""
    counter = struct.pack(">Q", int(time.time()) // 30 + steps)
    digest = hmac.new(base64.b32decode(secret), counter, "sha1").digest()
    at = digest[-1] & 15
    number = struct.unpack(">I", digest[at : at + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def set_up_app(client: Client) -> tuple[str, list[str]]:
    """Set up an app through the pages. Returns its key, and the recovery codes that are shown once."""
    secret = client.get("/account/second-factor/app/").context["form"].secret
    answer = client.post("/account/second-factor/app/", {"code": code_of(secret)})
    assert answer["Location"] == "/account/second-factor/codes/", answer.content
    return secret, client.get(answer["Location"]).context["unused_codes"]
