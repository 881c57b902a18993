"""Opens every page that links lead to, as each of the sample people: `python -m tests.upgrades.visiting`.

It runs in a process of its own, on the database that the settings name, and prints what it found as JSON.
"""

import json
import os
import re
import sys
from html import unescape
from urllib.parse import urldefrag, urljoin

import django

LINKS = re.compile(rb'href="([^"]+)"')
# Enough for each kind of page and several of its filters, and still a matter of seconds.
MOST_PAGES = 100


def visit(name: str) -> tuple[int, list[str]]:
    """The number of pages that a person was shown, and the addresses that failed, each with its status."""
    from django.test import Client

    from core.models import User

    client, failed, shown = Client(raise_request_exception=False, SERVER_NAME="localhost"), [], 0
    client.force_login(User.objects.get(username=name))
    waiting, known = ["/"], {"/"}
    while waiting and len(known) <= MOST_PAGES:
        address = waiting.pop(0)
        answer = client.get(address)
        if answer.status_code >= 400:
            failed.append(f"{answer.status_code} {address}")
        shown += answer.status_code == 200
        for link in links_of(answer):
            found = urldefrag(urljoin(address, link)).url
            if found.startswith("/") and not found.startswith("/static/") and found not in known:
                known.add(found)
                waiting.append(found)
    return shown, failed


def links_of(answer) -> list[str]:
    """The addresses that an answer leads to: the one that it redirects to, or those of a page's links."""
    if answer.has_header("Location"):
        return [answer["Location"]]
    if answer.streaming or not answer["Content-Type"].startswith("text/html"):
        return []
    return [unescape(link.decode()) for link in LINKS.findall(answer.content)]


def main() -> None:
    from core.accounts.sample_people import DEMO_PEOPLE
    from core.engine.kept.keepers import check_sums

    from .files import file_sums

    found = {name: visit(name) for name in DEMO_PEOPLE}
    wrong = [str(each) for each in check_sums()]
    files = file_sums()
    json.dump(
        {
            "shown": {name: shown for name, (shown, _) in found.items()},
            "failed": [f"{name}: {each}" for name, (_, failed) in found.items() for each in failed],
            "wrong sums": wrong,
            "files": files,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    main()
