"""Reads a program's input where a person fills in a form: the same members under the same names, by the same
rules.
"""

from collections.abc import Collection, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict
from rest_framework import serializers

from ..lists.chosen_rows import RowChoice, RowsChoice
from ..outside import MOST_ROW
from .doors import Sent, values_of
from .problems import refuse_form

F = TypeVar("F", bound=forms.BaseForm)
MOST_ROWS_NAMED = 1_000


@cache
def body_of(form: type[forms.BaseForm], *, without: tuple[str, ...] = ()) -> type[Sent]:
    """The request body for the fields of a form, except those in `without`. Rows are named by their numbers."""
    members: dict[str, object] = {
        name: _member(field)
        for name, field in form.base_fields.items()  # type: ignore[attr-defined]
        if name not in without
    }
    return type(f"{form.__name__.removesuffix('Form')}In", (Sent,), members | {"__doc__": form.__doc__ or ""})


def _member(field: forms.Field) -> serializers.Field:
    """The serializer field for a form field. The form applies its own rules; only values that no form could read are
    refused here.
    """
    # Whether it has to be there is known to the form once it is made: it may fill it in itself.
    about = str(field.help_text or field.label or "")
    optional: dict[str, object] = {"help_text": about, "required": False, "allow_null": True}
    match field:
        case forms.FileField():
            return serializers.FileField(allow_empty_file=True, **optional)
        case RowsChoice(to_field_name="key"):
            return serializers.ListField(child=serializers.UUIDField(), max_length=MOST_ROWS_NAMED, **optional)
        case RowsChoice():
            return serializers.ListField(child=_row(), max_length=MOST_ROWS_NAMED, **optional)
        case forms.MultipleChoiceField():
            child = Chosen(values_of(field.choices)) if field.choices else serializers.CharField()
            return serializers.ListField(child=child, max_length=MOST_ROWS_NAMED, **optional)
        case RowChoice():
            return _row(**optional)
        case forms.ChoiceField() if values_of(field.choices):
            return Chosen(values_of(field.choices), allow_blank=True, **optional)
        case forms.BooleanField():
            return serializers.BooleanField(**optional)
        case forms.JSONField():
            return serializers.DictField(**optional)
        case forms.DateField():
            return serializers.DateField(**optional)
        case forms.FloatField():
            return serializers.FloatField(**optional)
        case forms.DecimalField():
            return serializers.DecimalField(max_digits=20, decimal_places=10, **optional)
        case forms.IntegerField():
            return serializers.IntegerField(min_value=-MOST_ROW, max_value=MOST_ROW, **optional)
    return serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=1_000_000, **optional)


class Chosen(serializers.ChoiceField):
    """One of a form's choices. The description lists them; the form checks the value."""

    def to_internal_value(self, data: object) -> str:
        return serializers.CharField(allow_blank=True, trim_whitespace=False).run_validation(data)


def _row(**options: object) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=1, max_value=MOST_ROW, **options)


def filled_in(form: type[forms.BaseForm], sent: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """The form's data from the input, as in `questionnaire_of`."""
    return questionnaire_of(form, sent, **options).cleaned_data


def questionnaire_of(form: type[F], sent: Mapping[str, Any], **options: Any) -> F:
    """The form with the input; members that were not sent keep the form's initial values. Raises Problem (400) if the
    form refuses it.
    """
    blank = form(**options)
    first = {name: blank.get_initial_for_field(field, name) for name, field in blank.fields.items()}
    data = {name: value for name, value in (first | dict(sent)).items() if value is not None}
    files = MultiValueDict({name: [value] for name, value in data.items() if isinstance(value, UploadedFile)})
    filled = form({name: _as_posted(value) for name, value in data.items()}, files, **options)
    filled.is_valid()
    refuse_form(filled)
    return filled


def _as_posted(value: object) -> Any:
    if isinstance(value, dict):
        return forms.JSONField().prepare_value(value)
    if isinstance(value, Collection) and not isinstance(value, str):
        return [getattr(each, "pk", each) for each in value]
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return getattr(value, "pk", value)
