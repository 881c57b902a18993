"""The forms of the webhooks' pages."""

from django import forms

from ..languages import joined, say
from .outbox import registered_events


def events_field() -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        choices=lambda: [(event.name, joined([event.label, f"({event.name})"])) for event in registered_events()],
        widget=forms.CheckboxSelectMultiple,
        label=say("Send a message when"),
    )


class NewWebhookForm(forms.Form):
    """A new address for events."""

    url = forms.CharField(
        max_length=500,
        label=say("Address"),
        help_text=say(
            "The address of a program that accepts POST requests, such as https://example.org/hooks. "
            "Its host must be in WEBHOOK_ALLOWED_HOSTS."
        ),
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
    )
    about = forms.CharField(
        max_length=100, required=False, label=say("Purpose"), widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    events = events_field()


class WebhookForm(forms.Form):
    """The events of an address, and whether it is active."""

    events = events_field()
    is_on = forms.BooleanField(
        required=False, label=say("Active"), help_text=say("While it is inactive, nothing is sent.")
    )
