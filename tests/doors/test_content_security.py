"""The policy against foreign script and style. That it stands on every address is tested as these are, one after the
other, in `tests/core/web/test_access.py`."""

from django.http import HttpResponse

STRICT = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}
FOREIGN = (" style=", "<style", "<script>", " onclick=")


def against_the_policy(response: HttpResponse) -> set[str]:
    """Parts of the policy that the answer lacks, and parts of its page that the policy would refuse."""
    policy = {part.strip() for part in response.headers.get("Content-Security-Policy", "").split(";")}
    is_page = not response.streaming and response.headers.get("Content-Type", "").startswith("text/html")
    page = response.content.decode() if is_page else ""
    return STRICT - policy | {part for part in FOREIGN if part in page}


def test_an_address_that_does_not_exist_has_the_policy_too(client):
    assert not against_the_policy(client.get("/nowhere/"))
