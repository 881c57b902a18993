"""A site with nothing in it: each list says what comes here, and offers the act that fills it to those who may."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import AnnotationState, Wiki
from core.models import BackgroundWork, WorkState
from judging.catalogue.language_models import LanguageModel
from tests.conftest import make_person
from tests.factories import AnnotationFactory
from tests.factories.judging import make_model

pytestmark = pytest.mark.django_db

# The list, and the page that its words for nothing lead to.
LEADS_TO = {
    "tags": "harvests",
    "untagged": "untagged_search",
    "harvests": "harvest_new",
    "tags_changes": "tags",
    "releases": "reviews",
    "runs": "releases",
    "responses": "run_new",
    "run_new": "releases",
    "judge_run_new": "run_new",
    "rounds": "run_new",
    "round_new": "run_new",
    "harvest_new": "wikis",
    "untagged_search": "wikis",
    "annotator_disagreements": "project",
    "resolved_passages": "releases",
    "documents": "documents_import",
    "candidates": "documents",
    "checks": "model_new",
    "facts": "facts_import",
    "conflicts": "claim_sets",
    "claim_sets": "facts_import",
    "evidence_new": "conflicts",
    "project": "models",
}


@pytest.fixture
def no_models(db):
    LanguageModel.objects.filter(kind="endpoint").delete()


def main_of(client, name: str) -> str:
    """The page without its frame, whose menus lead everywhere."""
    return client.get(reverse(name)).text.partition("<main")[2].partition("</main>")[0]


@pytest.mark.parametrize("name", LEADS_TO)
def test_an_empty_list_leads_an_admin_to_what_fills_it(amir, no_models, name):
    assert f'href="{reverse(LEADS_TO[name])}' in main_of(amir, name)


def test_an_annotator_is_not_sent_to_releases(anna):
    page = main_of(anna, "resolved_passages")
    assert "Once an admin has made one" in page
    assert reverse("releases") not in page


# A form whose first choice is empty has no button that would only refuse.
@pytest.mark.parametrize(
    ("name", "button"),
    [
        ("releases", "Freeze as release"),
        ("round_new", "Begin the round"),
        ("judge_run_new", "Show the plan"),
        ("set_aside", "Set it aside"),
    ],
)
def test_nothing_is_offered_that_could_only_be_refused(amir, name, button):
    assert button not in main_of(amir, name)


def test_freezing_is_offered_once_an_annotation_is_accepted(amir, annotator):
    AnnotationFactory(annotator=annotator, state=AnnotationState.ACCEPTED)
    assert "Freeze as release 1" in main_of(amir, "releases")


def test_the_words_for_an_empty_choice_go_once_it_has_one(amir, no_models):
    assert "No wiki is allowed yet" in main_of(amir, "harvest_new")
    Wiki.objects.create(name="Example", api_url="https://xx.example.org/api", is_allowed=True)
    assert "No wiki is allowed yet" not in main_of(amir, "harvest_new")
    assert "No model is set up yet" in main_of(amir, "checks")
    make_model()
    assert "No model is set up yet" not in main_of(amir, "checks")


def test_the_first_page_of_a_new_site_begins_with_a_harvest(amir):
    assert reverse("harvest_new") in main_of(amir, "overview")


@pytest.mark.parametrize(
    ("state", "is_shown"), [(WorkState.DONE, True), (WorkState.REFUSED, False), (WorkState.FAILED, False)]
)
def test_results_are_offered_only_where_there_are_some(amir, admin, state, is_shown):
    problem = "" if state == WorkState.DONE else "Nothing was read."
    work = BackgroundWork.objects.create(
        asked_by=admin, what="find", state=state, problem=problem, finished_at=timezone.now()
    )
    page = amir.get(reverse("background_work", args=[work.key])).text
    assert ("Show the results" in page) == is_shown


def test_settings_lead_to_check_tags_unless_the_admin_annotates(amir, sign_in):
    assert reverse("check_tags") in main_of(amir, "project")
    both = sign_in(make_person("bo", "admin", "annotator"))
    assert both.get(reverse("check_tags")).status_code == 403
    assert reverse("check_tags") not in main_of(both, "project")
