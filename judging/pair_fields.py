"""Form fields for pairs of names, one per line: headers with their variables, parameters of an address."""

from typing import Any

from django import forms
from django.conf import settings

from core.languages import say
from core.outside import Unreadable, json_object

from .endpoints.addresses import EndpointRefused
from .endpoints.extras import check_headers, check_query


class PairsField(forms.CharField):
    """A dict of texts, written as one pair per line with `between` between name and value. Errors name the line by
    its number, never by its text, which may be a secret.
    """

    def __init__(self, *, between: str, **kwargs: Any):
        self.between = between
        widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "autocomplete": "off"})
        super().__init__(required=False, max_length=8000, widget=widget, **kwargs)

    def prepare_value(self, value: object) -> Any:
        if not isinstance(value, dict):
            return value
        glue = "=" if self.between == "=" else f"{self.between} "
        return "\n".join(f"{name}{glue}{each}" for name, each in value.items())

    def to_python(self, value: object) -> Any:
        """The pairs in lines of text or, for a form's initial value sent through the API, in a JSON object."""
        text = "" if isinstance(value, dict) else (super().to_python(value) or "").strip()
        if not isinstance(value, dict) and not text.startswith("{"):
            return self.pairs_in(text)
        try:
            pairs = value if isinstance(value, dict) else json_object(text.encode(errors="replace"))
        except Unreadable:
            raise forms.ValidationError(say("Write one pair per line, or a JSON object of texts.")) from None
        if not all(isinstance(each, str) for each in pairs.values()):
            raise forms.ValidationError(say("Names and values are texts."))
        return pairs

    def pairs_in(self, text: str) -> dict[str, str]:
        pairs: dict[str, str] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            name, between, rest = (part.strip() for part in line.partition(self.between))
            if not between or not name:
                raise forms.ValidationError(
                    say("Line {number} is not a name, “{between}” and a value.", number=number, between=self.between)
                )
            if name in pairs:
                raise forms.ValidationError(say("Line {number} repeats a name.", number=number))
            pairs[name] = rest
        return pairs

    def has_changed(self, initial: object, data: object) -> bool:
        try:
            return self.to_python(data) != (initial or {})
        except forms.ValidationError:
            return True


class HeadersField(PairsField):
    """Headers by name, each with the variable that holds its value."""

    def __init__(self, **kwargs: object):
        super().__init__(between=":", **kwargs)

    def validate(self, value: Any) -> None:
        super().validate(value)
        if unlisted := [variable for variable in value.values() if variable not in settings.LLM_KEY_NAMES]:
            named = ", ".join(settings.LLM_KEY_NAMES) or "none yet"
            raise forms.ValidationError(
                say(
                    "{count} of these headers name no variable that the operator has listed in "
                    "LLM_KEY_NAMES ({named}). A value itself never goes here.",
                    count=len(unlisted),
                    named=named,
                ),
                code="unlisted",
            )
        refuse(check_headers, value, has_key=False)


class QueryField(PairsField):
    """Parameters of an address, by name."""

    def __init__(self, **kwargs: object):
        super().__init__(between="=", **kwargs)

    def validate(self, value: object) -> None:
        super().validate(value)
        refuse(check_query, value)


def refuse(check: Any, *args: Any, **kwargs: Any) -> None:
    """Run a check of endpoints and turn its refusal into an error of the form."""
    try:
        check(*args, **kwargs)
    except EndpointRefused as refused:
        raise forms.ValidationError(str(refused), code="refused") from None
