"""`{% url %}` writes the addresses that Django's writes."""

import pytest
from django.template import Context, Template
from django.urls import NoReverseMatch, reverse


def written(source: str, **values) -> str:
    return Template(source).render(Context(values))


def test_an_address_with_and_without_arguments_again_and_again():
    for pk in (1, 2, 1):
        assert written("{% url 'desk_save' pk %}", pk=pk) == reverse("desk_save", args=[pk])
    assert written("{% url 'home' %}") == reverse("home")
    assert written("{% url name 7 kind %}", name="desk_evidence", kind="talk") == reverse(
        "desk_evidence", args=[7, "talk"]
    )


def test_as_a_value_and_where_there_is_none():
    assert (
        written("{% url 'desk_save' pk as address %}[{{ address }}]", pk=1) == f"[{reverse('desk_save', args=[1])}]"
    )
    assert written("{% url 'no such page' as address %}[{{ address }}]") == "[]"
    with pytest.raises(NoReverseMatch):
        written("{% url 'no such page' %}")
    with pytest.raises(NoReverseMatch):
        written("{% url 'desk_save' pk %}", pk="x")
