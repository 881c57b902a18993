"""The forms of the webhooks' pages."""

from django import forms

from .outbox import registered_events


def events_field() -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        choices=lambda: [(event.name, f"{event.label} ({event.name})") for event in registered_events()],
        widget=forms.CheckboxSelectMultiple,
        label="Send a message when",
    )


class NewWebhookForm(forms.Form):
    """A new address for events."""

    url = forms.CharField(
        max_length=500,
        label="Address",
        help_text="The address of a program that accepts POST requests, such as https://example.org/hooks. "
        "Its host must be in WEBHOOK_ALLOWED_HOSTS.",
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
    )
    about = forms.CharField(
        max_length=100, required=False, label="Purpose", widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    events = events_field()


class WebhookForm(forms.Form):
    """The events of an address, and whether it is active."""

    events = events_field()
    is_on = forms.BooleanField(required=False, label="Active", help_text="While it is inactive, nothing is sent.")
