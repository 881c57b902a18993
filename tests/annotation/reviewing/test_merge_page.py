"""The page on which a reviewer merges annotations, without its script: what it shows, takes and refuses."""

import pytest
from django.urls import reverse

from annotation.models import Annotation, SeenAnnotation
from annotation.reviewing.merging import contributions_to
from core.models import Role
from tests.annotation.desk_helpers import complete_content
from tests.annotation.merging_helpers import annotated_by, merge
from tests.conftest import make_person
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def both(annotator, other_annotator) -> list[Annotation]:
    return annotated_by(annotator, other_annotator)


def address_of(annotation: Annotation) -> str:
    return reverse("reviews_merge", args=[annotation.pk])


def form(both, *, of: int = 0, **own: str) -> dict[str, object]:
    """A filled form: all that differs from one of them, except what is written."""
    differing = ["valid_comment", "paragraphA_information_standalone", "Contradict type I", "question1", "question2"]
    sent: dict[str, object] = {f"version:{each.pk}": each.version for each in both}
    sent |= {f"take:{name}": both[of].pk for name in [*differing, "confidence"]}
    for name, text in own.items():
        sent |= {f"take:{name}": "own", f"own:0:{name}": text}
    return sent


def test_the_queue_leads_to_both_side_by_side(both, rita):
    response = rita.get(reverse("reviews_next"))
    assert response["Location"] == address_of(both[0])
    page = rita.get(address_of(both[0])).text
    assert "parts are alike." in page
    for each in both:
        assert each.writer in page
        assert reverse("reviews_annotation", args=[each.pk]) in page
    assert '<mark class="differs">, in Leith, </mark>' in page


def test_the_page_of_one_leads_there_too(both, rita):
    page = rita.get(reverse("reviews_annotation", args=[both[1].pk])).text
    assert address_of(both[1]) in page


def test_a_filled_form_makes_one_of_them_and_goes_on(both, rita, reviewer):
    response = rita.post(address_of(both[1]), form(both, confidence="4", valid_comment="Both say so."))
    assert response["Location"] == reverse("reviews")
    made = Annotation.objects.accepted().get()
    assert (made.merged_by, made.confidence, made.valid_comment) == (reviewer, 4, "Both say so.")
    people = {each.field: each.people for each in contributions_to(made)}
    assert (people["confidence"], people["question1"]) == (["rita"], ["anna"])


def test_a_question_and_ticks_can_be_written_anew(both, rita):
    sent = form(both) | {
        "take:question1": "own",
        "own:0:question1": "Could one drive across in 1900?",
        "own:1:question1": "No",
        "own:2:question1": "Yes",
        "take:Contradict type I": "own",
        "own:0:Contradict type I": ["NUM"],
    }
    rita.post(address_of(both[0]), sent)
    made = Annotation.objects.accepted().get()
    assert made.questions.get().text == "Could one drive across in 1900?"
    assert list(made.contradiction_types.filter(dimension="semantic_type").values_list("code", flat=True)) == ["NUM"]


def test_what_is_missing_is_named_and_the_rest_stays_chosen(both, rita):
    sent = form(both, valid_comment="<b>My own</b>")
    del sent["take:confidence"]
    response = rita.post(address_of(both[0]), sent)
    assert response.status_code == 400
    assert ">Confidence</a>: Decide on this." in response.text
    assert "&lt;b&gt;My own&lt;/b&gt;</textarea>" in response.text
    assert response.text.count(" checked") > 15
    assert not Annotation.objects.accepted().exists()


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("take:confidence", "999999", 400),
        ("take:confidence", "1" * 400, 400),
        ("take:confidence", "²", 400),
        ("version", "", 409),
        ("own:0:confidence", "six", 400),
    ],
)
def test_a_form_that_makes_no_sense_changes_nothing(both, rita, name, value, status):
    key = f"version:{both[0].pk}" if name == "version" else name
    sent = form(both) | {key: value}
    if name.startswith("own"):
        sent["take:confidence"] = "own"
    assert rita.post(address_of(both[0]), sent).status_code == status
    assert not Annotation.objects.accepted().exists()


def test_who_looks_has_seen_both(both, rita, reviewer):
    rita.get(address_of(both[0]))
    assert SeenAnnotation.objects.filter(person=reviewer).count() == 2


def test_who_wrote_a_part_of_a_merge_is_not_offered_to_reconsider_it(both, rita, annotator, sign_in):
    rita.post(address_of(both[0]), form(both, confidence="4", valid_comment="Both say so."))
    made = Annotation.objects.accepted().get()
    annotator.groups.add(*make_person("x", Role.REVIEWER).groups.all())
    address = reverse("reviews_annotation", args=[made.pk])
    assert "To exclude it, reconsider it first." in rita.get(address).text
    shown = sign_in(annotator).get(address).text
    assert "You wrote it, so only another person can reconsider it." in shown
    assert 'data-opens="reconsider"' not in shown


def test_who_annotates_the_tag_sees_nothing_of_it(both, annotator, sign_in):
    annotator.groups.add(*make_person("x", Role.REVIEWER).groups.all())
    anna = sign_in(annotator)
    assert anna.get(address_of(both[1])).status_code == 404
    assert anna.get(address_of(both[0])).status_code == 403
    assert anna.post(address_of(both[0]), form(both)).status_code == 403
    assert "Merge them" not in anna.get(reverse("reviews_annotation", args=[both[0].pk])).text


def test_one_alone_is_reviewed_as_ever(annotator, rita):
    tag = TagFactory()
    (one,) = annotated_by(annotator, contents=[complete_content()], tag=tag)
    assert rita.get(reverse("reviews_next"))["Location"] == reverse("reviews_annotation", args=[one.pk])
    assert rita.get(address_of(one)).status_code == 409


def test_a_merge_shows_who_contributed_what(both, reviewer, rita):
    made = merge(both, reviewer, of=0)
    assert made == both[0]
    rita.post(reverse("reviews_reconsider", args=[made.pk]), {"reason": "Too hasty."})
    rita.post(address_of(both[0]), form(both, valid_comment="Both say so."))
    made = Annotation.objects.accepted().get()
    page = rita.get(reverse("reviews_annotation", args=[made.pk])).text
    assert "merge by rita" in page
    assert "anna, ansel" in page
    listed = rita.get(f"{reverse('reviews')}?state=merged")
    assert {each.pk for each in listed.context["page"]} == {each.pk for each in both}


def test_the_choices_of_a_reconsidered_merge_are_there_again(both, rita):
    rita.post(address_of(both[0]), form(both, of=1, valid_comment="Both say so."))
    made = Annotation.objects.accepted().get()
    rita.post(reverse("reviews_reconsider", args=[made.pk]), {"reason": "Too hasty."})
    parts = {
        shown.part.name: shown
        for _, _, differing, _ in rita.get(address_of(made)).context["steps"]
        for shown in differing
    }
    assert [offer.is_chosen for offer in parts["confidence"].offers] == [False, True]
    assert parts["valid_comment"].is_own
    assert parts["valid_comment"].controls[0].value == "Both say so."


def test_the_annotators_read_what_became_of_theirs(both, rita, annotator, sign_in):
    rita.post(address_of(both[0]), form(both, valid_comment="Both say so."))
    anna = sign_in(annotator)
    assert "Merged with another" in anna.get(reverse("my_work")).text
    page = anna.get(reverse("desk_annotation", args=[both[0].pk])).text
    assert "merged your annotation with the others" in page
    assert anna.post(reverse("desk_reopen", args=[both[0].pk])).status_code == 409
