"""Passages 1' and 2': written by annotators, kept in versions, shown to models by templates 5.3 and 5.4."""

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from annotation.models import Instance
from core.models import Event
from judging.models import InstanceVariant
from tests.factories.judging import make_instance, make_model, make_release, make_run, templates, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]

RESOLVED = {"passage_1": "Bridge 1 opened in 1899.", "passage_2": "Bridge 1 opened in 1899.", "answer": "1899"}


@pytest.fixture
def client(sign_in, annotator):
    return sign_in(annotator)


@pytest.fixture
def instance() -> Instance:
    return make_release([make_instance(1)]).instances.get()


def save(client, instance: Instance, **values):
    return client.post(
        reverse("resolved_passages_edit", args=[instance.pk]), {"seen_version": 0, **RESOLVED, **values}
    )


def versions(instance: Instance) -> list[str]:
    contents = InstanceVariant.objects.filter(instance=instance).values_list("content", flat=True)
    return [content["answer"] for content in contents]


def test_the_list_says_what_is_to_do(client):
    assert "No release yet" in client.get(reverse("resolved_passages")).content.decode()
    first, second = make_release(2).instances.order_by("pk")
    save(client, first)
    response = client.get(reverse("resolved_passages"))
    assert [instance for instance, _, _ in response.context["rows"]] == [first, second]
    assert {value: count for value, _, count in response.context["chips"]} == {"to_do": "1", "done": "1"}
    to_do = client.get(reverse("resolved_passages"), {"show": "to_do"})
    assert [instance for instance, _, _ in to_do.context["rows"]] == [second]


def test_the_form_starts_with_the_passages_as_they_are(client, instance):
    page = client.get(reverse("resolved_passages_edit", args=[instance.pk]))
    form = page.context["form"]
    assert form["passage_1"].value() == "Bridge 1 opened in 1903."
    assert form["passage_2"].value() == "Bridge 1 opened in 1899."
    assert not form["answer"].value()


def test_resolved_passages_are_kept_with_who_and_when(client, annotator, instance):
    assert save(client, instance).status_code == 302
    resolved = InstanceVariant.objects.get()
    assert (resolved.version, resolved.made_by, resolved.content["answer"]) == (1, annotator, "1899")
    assert Event.objects.about(instance).get().actor == annotator


def test_a_correction_is_a_new_version_and_the_old_one_stays(client, instance):
    save(client, instance)
    save(client, instance, seen_version=1, answer="in 1899")
    assert versions(instance) == ["1899", "in 1899"]
    page = client.get(reverse("resolved_passages_edit", args=[instance.pk])).content.decode()
    assert "Version 1" in page
    assert "Version 2" in page
    with pytest.raises(DatabaseError), transaction.atomic():
        InstanceVariant.objects.update(content={"answer": "1904"})


def test_saving_the_same_twice_makes_one_version(client, instance):
    save(client, instance)
    assert save(client, instance).status_code == 302
    assert versions(instance) == ["1899"]


def test_who_comes_second_keeps_what_was_typed(client, instance):
    save(client, instance)
    late = save(client, instance, answer="the year 1899")
    assert late.status_code == 409
    page = late.content.decode()
    assert "Another person has resolved this" in page
    assert "the year 1899" in page
    assert versions(instance) == ["1899"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"passage_1": "Bridge 1 opened in 1903."}, "Neither passage was changed"),
        ({"passage_1": " "}, "Passage 1′ is empty"),
        ({"passage_2": ""}, "Passage 2′ is empty"),
        ({"answer": ""}, "This field is required"),
        ({"passage_1": "x" * 20_001}, "too much text"),
    ],
)
def test_what_resolves_nothing_is_refused_with_the_text_kept(client, instance, values, said):
    response = save(client, instance, **values)
    assert response.status_code == 400
    assert said in response.content.decode()
    assert versions(instance) == []


def test_an_instance_with_one_passage_gets_one_resolved_passage(client):
    text = "It opened in 1903. It opened in 1899."
    instance = make_release([make_instance(passage_1=text, passage_2=text, same_passage=True)]).instances.get()
    page = client.get(reverse("resolved_passages_edit", args=[instance.pk])).content.decode()
    assert "Passage 2′" not in page
    save(client, instance, passage_1="It opened in 1899.", passage_2="")
    content = InstanceVariant.objects.get().content
    assert content["passage_1"] == content["passage_2"] == "It opened in 1899."


def test_save_and_next_opens_the_next_in_the_order_of_the_release(client):
    one, two, three = make_release(3).instances.order_by("pk")
    following = save(client, two, and_next="yes")
    assert following["Location"] == reverse("resolved_passages_edit", args=[three.pk])
    assert save(client, three, and_next="yes")["Location"] == reverse("resolved_passages_edit", args=[one.pk])
    assert save(client, one, and_next="yes")["Location"] == reverse("resolved_passages")


def test_models_are_asked_with_the_newest_version_and_it_is_told_which(client, server, instance, sign_in, admin):
    save(client, instance)
    save(client, instance, seen_version=1, answer="in 1899", passage_2="It opened in 1899.")
    model = make_model(server.base_url)
    run = make_run(model, release=instance.releases.get(), codes=("5.3", "5.4"))
    work(run)
    assert run.responses.count() == len(templates("5.3", "5.4"))
    response = run.responses.get(template__code="5.3")
    assert response.variant
    assert response.variant.version == 2
    assert "It opened in 1899." in response.messages[-1]["content"]
    assert "1903" not in response.messages[-1]["content"]
    page = sign_in(admin).get(reverse("response", args=[response.key])).content.decode()
    assert "version 2" in page
    assert "“in 1899”" in page, "the gold answer of template 5.3 is the resolved one"


def test_text_is_never_markup(client):
    instance = make_release([make_instance(passage_1="<script>alert(1)</script>")]).instances.get()
    for where in (reverse("resolved_passages"), reverse("resolved_passages_edit", args=[instance.pk])):
        assert "<script>alert" not in client.get(where).content.decode()
