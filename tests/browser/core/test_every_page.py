"""Every page of the project as a person who may open it: axe finds no error, in light colours or dark ones."""

from collections.abc import Iterator

import pytest
from django.test import Client
from playwright.sync_api import Page

from core.models import Role
from tests.browser.conftest import accessibility_errors_in_steps
from tests.core.addresses import LISTED, let_in
from tests.core.asking import address
from tests.core.world import make_example

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]

# The first of these that may open a page opens it: admins most of them.
READERS = (Role.ADMIN, Role.ANNOTATOR, Role.REVIEWER, Role.ADJUDICATOR)
# Ends the session that the others are read in.
ENDS_THE_SESSION = {"account_logout", "account_session_end", "account_sessions_end"}
# A walk that finds fewer pages has lost its way.
FEWEST_PAGES = 100


def is_page(client: Client, where: str) -> bool:
    """Return whether a whole page is read at this address: no file, no fragment, nothing that is only sent."""
    answer = client.get(where)
    return answer.status_code == 200 and answer["Content-Type"].startswith("text/html") and b"<main" in answer.content


def pages_to_read(clients: dict[Role, Client], example: dict) -> Iterator[tuple[str, str, Role]]:
    """The name and address of each page, and its reader."""
    for name in LISTED:
        reader = next((role for role in READERS if let_in(name, role)), None)
        if reader is None or name.startswith("api:") or name in ENDS_THE_SESSION:
            continue
        where = address(name, example)
        if is_page(clients[reader], where):
            yield name, where, reader


def errors_in_steps(page: Page, name: str, where: str) -> Iterator[list[str]]:
    page.goto(where)
    for found in accessibility_errors_in_steps(page):
        yield [f"{name} {where}: {line}" for line in found]


def test_axe_finds_nothing_on_any_page(
    open_page, sign_in, admin, annotator, other_annotator, reviewer, other_reviewer, adjudicator
):
    """Two browsers take turns: while axe is at work in one, the other opens the next page."""
    example = make_example(annotator, other_annotator, reviewer, other_reviewer, admin)
    people = dict(zip(READERS, (admin, annotator, reviewer, adjudicator), strict=True))
    browsers = [{role: open_page(person) for role, person in people.items()} for _ in range(2)]
    to_read = pages_to_read({role: sign_in(person) for role, person in people.items()}, example)
    read, wrong = 0, []
    at_work: list[Iterator[list[str]]] = [iter(()) for _ in browsers]
    while at_work:
        for number, steps in enumerate(at_work):
            found = next(steps, None)
            if found is not None:
                wrong += found
            elif page := next(to_read, None):
                name, where, reader = page
                at_work[number] = errors_in_steps(browsers[number][reader], name, where)
                read += 1
            else:
                at_work.remove(steps)
                break
    assert not wrong, "\n".join(wrong)
    assert read >= FEWEST_PAGES
