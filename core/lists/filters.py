"""Filters of a list: a form that reads them from the address."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

from django import forms
from django.db.models import Model, QuerySet
from django.utils.translation import get_language

from ..languages import say
from ..outside import NOT_STORABLE, whole_number
from ..refusals import Refusal
from .search import MOST_SOUGHT

M = TypeVar("M", bound=Model)

# Choosing a value shows the list at once.
SUBMITS = {"data-submits": ""}
MOST_TICKED = 200


class RowField(forms.Field):
    """The number of a row, or one of a few `words`."""

    widget = forms.HiddenInput

    def __init__(self, *, words: Iterable[str] = (), **options: Any):
        super().__init__(**options)
        self.words = set(words)

    def to_python(self, value: Any) -> int | str:
        text = str(value or "").strip()
        number = whole_number(text) or None  # no row has the number 0
        if number is None and text and text not in self.words:
            raise forms.ValidationError(say("This is not a valid number."))
        return text if number is None else number


class TickedField(forms.Field):
    """The keys of the selected rows of a list: valid together or not at all, so none of them is ignored. The list's
    form also sends an empty one, which tells "nothing is selected" from "no choice was made".
    """

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[UUID]:
        written = [str(each) for each in value or ()]
        keys = [each for each in written if each]
        if written and not keys:
            raise Refusal(say("Nothing was selected, so nothing was done."), status=400)
        if len(keys) > MOST_TICKED:
            raise Refusal(
                say("At most {most_ticked} can be selected. Nothing was done.", most_ticked=MOST_TICKED), status=400
            )
        try:
            return [UUID(each) for each in dict.fromkeys(keys)]
        except ValueError as error:
            raise Refusal(say("The selection cannot be read. Nothing was done."), status=400) from error


class SearchField(forms.CharField):
    """Words to search for."""

    widget = forms.SearchInput(attrs={"autocomplete": "off"} | SUBMITS)

    def to_python(self, value: Any) -> str:
        return NOT_STORABLE.sub("", super().to_python(value) or "")[:MOST_SOUGHT]


class Filters(forms.Form):
    """A list's filters, as the address of its page has them. A value that cannot be read is ignored: `chosen` then
    has the field's initial value, or "". The form shows what was understood."""

    def __init__(self, values: Mapping[str, str]):
        super().__init__(values, auto_id="%s")
        for field in self.fields.values():
            field.required = False
        self.full_clean()
        self.chosen: dict[str, Any] = {
            name: self.cleaned_data.get(name) or field.initial or "" for name, field in self.fields.items()
        }
        self.data = self.chosen

    def offer(self, **options: tuple[str, Iterable[tuple[Any, str]]]) -> None:
        """The choices of each field: the label for "all", then each value with its label."""
        for name, (everything, choices) in options.items():
            self.fields[name].widget.choices = [("", everything), *choices]

    @property
    def narrow(self) -> bool:
        """Return whether any filter has a value other than its initial one."""
        return any(self.chosen[name] != (field.initial or "") for name, field in self.fields.items())

    def controls(self) -> list[tuple[forms.BoundField, str]]:
        """The visible fields, each with its control."""
        return [(field, _control(field)) for field in self.visible_fields()]

    def in_force(self) -> list[forms.BoundField]:
        """The fields that have a value but no control, for the form to keep."""
        return [field for field in self.hidden_fields() if self.chosen[field.name] != (field.field.initial or "")]


def _control(field: forms.BoundField) -> str:
    widget = field.field.widget
    if not isinstance(widget, forms.Select):
        return str(field)
    attributes = widget.attrs | field.build_widget_attrs({"id": field.auto_id}, widget)
    choices = _as_tuples(widget.choices)
    return _select(
        type(widget), field.html_name, field.value(), tuple(attributes.items()), choices, language=get_language()
    )


def _as_tuples(choices: Iterable[tuple[Any, Any]]) -> tuple[tuple[Any, Any], ...]:
    """The choices with those of each group as a tuple, so that they can be looked up."""
    return tuple((value, _as_tuples(said) if isinstance(said, list) else said) for value, said in choices)


@lru_cache(maxsize=500)
def _select(
    kind: type[forms.Select], name: str, value: Any, attributes: tuple, choices: tuple, *, language: str | None
) -> str:
    """A menu as Django renders it, cached by its choices and value, and by the present language."""
    return kind(dict(attributes), choices).render(name, value)


class ColumnFilters(Filters):
    """Filters named after the columns that they compare for equality."""

    def among(self, rows: QuerySet[M]) -> QuerySet[M]:
        return rows.filter(**{name: value for name, value in self.chosen.items() if value})
