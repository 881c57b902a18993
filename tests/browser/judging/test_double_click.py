"""A double click on a button that plans what costs money does it once."""

import pytest
from playwright.sync_api import expect

from annotation.models import Release
from judging.models import Run, RunKind
from tests.factories.judging import make_model, make_release, templates

# The first one's request has gone out by the second.
TWO_CLICKS = "button => { button.click(); setTimeout(() => button.click(), 40); }"

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_double_click_plans_one_run(open_page, admin):
    templates()
    make_release(1)
    model = make_model()
    page = open_page(admin, f"/judging/runs/new/?release={Release.objects.get().number}")
    page.locator(f"[name=language_models][value='{model.pk}']").check()
    page.locator("[name=templates]").first.check()
    page.get_by_role("button", name="Show the plan").evaluate(TWO_CLICKS)
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    assert Run.objects.filter(kind=RunKind.ANSWER).count() == 1
