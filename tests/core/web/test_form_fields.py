"""Fields of forms take only what every database can hold."""

from collections.abc import Iterator

import pytest
from django import forms
from django.core.validators import MaxValueValidator
from django.urls import reverse

from core.lists.chosen_rows import RowChoice, RowsChoice
from core.lists.json_field import JSONText
from core.outside import MOST_ROW

APPS = ("core", "annotation", "judging", "review", "benchmarks", "speed")


def fields() -> Iterator[tuple[type[forms.BaseForm], str, forms.Field]]:
    """The fields of all forms of ours."""
    reverse("home")  # loads every view, and with them every form
    for form in kinds_of(forms.BaseForm):
        if form.__module__.partition(".")[0] in APPS:
            for name, field in getattr(form, "base_fields", {}).items():
                yield form, name, field


def kinds_of(kind: type) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield below
        yield from kinds_of(below)


def test_rows_are_chosen_by_one_kind_of_field():
    chosen = [(form.__name__, name, field) for form, name, field in fields() if hasattr(field, "queryset")]
    assert len(chosen) > 10
    assert [each for each in chosen if not isinstance(each[2], RowChoice | RowsChoice)] == []


def test_json_is_read_by_one_kind_of_field():
    read = [(form.__name__, name, field) for form, name, field in fields() if isinstance(field, forms.JSONField)]
    assert len(read) > 2
    assert [each for each in read if not isinstance(each[2], JSONText)] == []


LONG, DEEP, TWICE = '{"a": ' + "9" * 5_000 + "}", "[" * 20_000, '{"a": 1, "a": 2}'


@pytest.mark.parametrize("text", [LONG, DEEP, TWICE, '{"a": NaN}', '{"a": 1e999}', "{"], ids=lambda text: text[:8])
def test_json_that_cannot_be_read_is_not_valid(text):
    class Form(forms.Form):
        value = JSONText()

    form = Form({"value": text})
    assert "value" in form.errors
    assert form["value"].value() is not None
    str(form)


def test_whole_numbers_have_a_maximum():
    """In a model's form it is the column's."""
    unbounded = [
        (form.__name__, name)
        for form, name, field in fields()
        if isinstance(field, forms.IntegerField)
        and not isinstance(field, forms.FloatField | forms.DecimalField)
        and not issubclass(form, forms.BaseModelForm)
        and field.max_value is None
        and not any(isinstance(each, MaxValueValidator) for each in field.validators)
    ]
    # A judgment's seconds are cut to what is plausible, so that no verdict is lost for them.
    assert [each for each in unbounded if each != ("JudgmentForm", "seconds")] == []


@pytest.mark.parametrize("number", [str(MOST_ROW + 1), "-1", "9" * 5_000, "x", "1.0", "٣"])
def test_a_number_that_no_row_can_have_is_no_valid_choice(db, number):
    from core.models import User

    with pytest.raises(forms.ValidationError):
        RowChoice(User.objects.all()).clean(number)
    with pytest.raises(forms.ValidationError):
        RowsChoice(User.objects.all()).clean([number])
