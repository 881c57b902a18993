"""The answer to a form says whether it was accepted, so that the browser drops its copy of the text, or keeps it."""

import pytest

from annotation.models import Annotation
from tests.annotation.reviewing.test_annotation_reviews import LIST, submit_annotation

pytestmark = pytest.mark.django_db
NUMBER = "0123456789abcdef" * 2


@pytest.fixture
def annotation(annotator) -> Annotation:
    return submit_annotation(annotator)


def send(client, annotation: Annotation, *, number: str = NUMBER, **changes) -> dict[str, str]:
    """The cookies of the answer to a Return."""
    sent = {"message": "Which bridge?", "seen_version": annotation.version, "kept_number": number} | changes
    response = client.post(f"{LIST}{annotation.pk}/return/", sent)
    return {name: cookie.value for name, cookie in response.cookies.items() if name.startswith("kept-")}


def test_an_accepted_form_is_acknowledged(sign_in, reviewer, annotation):
    assert send(sign_in(reviewer), annotation) == {f"kept-{NUMBER}": "1"}


@pytest.mark.parametrize("changes", [{"message": " "}, {"seen_version": 99}])
def test_a_refused_form_is_not(sign_in, reviewer, annotation, changes):
    assert send(sign_in(reviewer), annotation, **changes) == {}


def test_a_form_of_a_stranger_is_not(client, annotation):
    assert send(client, annotation) == {}


@pytest.mark.parametrize("number", ["", "x", NUMBER.upper(), NUMBER + "0", f"{NUMBER}\n", f"{NUMBER}; secure"])
def test_what_is_no_number_sets_no_cookie(sign_in, reviewer, annotation, number):
    assert send(sign_in(reviewer), annotation, number=number) == {}
