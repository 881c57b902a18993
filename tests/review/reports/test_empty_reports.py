"""An empty report offers the pages that fill it."""

import re

import pytest
from django.urls import reverse

from review.reports.registry import all_reports

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", all_reports())
def test_an_empty_report_leads_to_pages_that_fill_it(client, admin, name):
    client.force_login(admin)
    page = client.get(reverse("report", args=[name])).text
    acts = re.findall(r'<a role="button"[^>]* href="([^"]+)">', page.partition('<p class="empty">')[2])
    if 'class="empty"' not in page:
        assert name == "annotators"  # the admin annotates, too
        return
    assert acts
    for address in acts:
        assert client.get(address).status_code == 200
