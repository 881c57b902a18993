"""The form of a model at an endpoint."""

from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.conf import settings

from core.languages import changed, say
from core.lists.json_field import JSONText
from core.words import in_currency

from .catalogue.presets import TO_REPLACE
from .endpoints.addresses import EndpointRefused, check_base_url
from .endpoints.requests import chat_request
from .models import LanguageModel
from .pair_fields import HeadersField, QueryField

# Each of these has its own field; any other parameter goes into the field for the rest.
USUAL_DECODING = ("temperature", "max_tokens", "seed", "reasoning_effort")
# The provider's terms for a batch; empty means OpenAI's.
OF_BATCHES = ("batch_price_factor", "batch_calls", "batch_megabytes")
PRICE_HELP = say(
    "Per million tokens, in {currency}; prices filled in are US dollars. Leave both empty only for a server of your "
    "own.",
    currency=settings.CURRENCY,
)


@dataclass(frozen=True, slots=True)
class Fold:
    """A group of fields that most models need not change. `about` names them."""

    title: str
    about: str
    names: str
    is_open: bool = False


FOLDS = (
    Fold(
        say("Decoding"),
        say("Temperature, token limit, seed and other parameters; a new model has the paper's."),
        "temperature max_tokens max_tokens_name seed reasoning_effort more_decoding empty_system_message "
        "takes_json_schema token_probabilities option_labels",
    ),
    Fold(
        say("More of the endpoint"),
        say("Headers, parameters of the address, and whether the provider keeps completions."),
        "headers query keeps_completions",
    ),
    Fold(say("More about prices"), say("Cached tokens, and where the prices are from."), "price_cached price_source"),
    Fold(
        say("Limits"),
        say("Concurrent calls, requests and tokens per minute, seconds to wait."),
        "concurrent_calls adapts_concurrency requests_per_minute tokens_per_minute timeout_seconds context_window",
    ),
    Fold(
        say("Not billed by the provider"),
        say(
            "A call that ends like this is retried automatically, up to ten times with growing pauses. Any other "
            "call without a reply is in doubt and waits for you. Select only what the provider promises."
        ),
        "unbilled_429 unbilled_408 unbilled_5xx unbilled_resets",
    ),
    Fold(
        say("Batches"),
        say("Files of calls that the provider answers within a day, at a lower price."),
        "offers_batches batch_price_factor batch_calls batch_megabytes",
    ),
    Fold(say("Notes"), say("For yourself."), "notes"),
)


class MoreDecodingField(JSONText):
    def prepare_value(self, value: object) -> Any:
        return "" if value is None else super().prepare_value(value)


class ModelForm(forms.ModelForm):
    """A model at an endpoint. `is_used` means that the settings that determine its answers can no longer be
    changed.
    """

    temperature = forms.FloatField(
        label=say("Temperature"), required=False, min_value=0, max_value=10, help_text=say("0 in the paper.")
    )
    max_tokens = forms.IntegerField(
        label=say("Maximum tokens in an answer"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text=say("250 in the paper."),
    )
    seed = forms.IntegerField(required=False, help_text=say("5 in the paper. Not every endpoint supports it."))
    reasoning_effort = forms.RegexField(
        r"^[a-z_]{1,20}\Z",
        label=say("Reasoning effort"),
        required=False,
        help_text=say("none, minimal, low, medium, high or xhigh, if the model supports them. Empty: not sent."),
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
    )
    headers = HeadersField(
        label=say("More headers"),
        help_text=say(
            "One per line, such as api-key: AZURE_OPENAI_API_KEY: the header’s name and that of the "
            "environment variable with its value."
        ),
    )
    query = QueryField(
        label=say("Parameters of the address"),
        help_text=say("One per line, such as api-version=2024-10-21. No keys."),
    )
    more_decoding = MoreDecodingField(
        label=say("Other parameters (JSON)"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=say('Such as {"top_p": 1}. They are sent unchanged. A parameter whose field is empty is not sent.'),
    )

    class Meta:
        model = LanguageModel
        labels = {
            "notes": say("Notes"),
            "endpoint_name": say("Name at the endpoint"),
            "base_url": say("Base URL"),
            "key_name": say("Key"),
            "takes_json_schema": say("Accepts a JSON schema"),
            "token_probabilities": say("Log-probabilities of tokens"),
            "option_labels": say("Labels of options"),
            "max_tokens_name": say("Parameter of the token limit"),
            "empty_system_message": say("Send an empty system message"),
            "concurrent_calls": say("Concurrent calls"),
            "adapts_concurrency": say("Fewer concurrent calls while the endpoint is overloaded"),
            "requests_per_minute": say("Requests per minute"),
            "tokens_per_minute": say("Tokens per minute"),
            "timeout_seconds": say("Seconds to wait for an answer"),
            "price_in": in_currency(say("Price in")),
            "price_out": in_currency(say("Price out")),
            "price_cached": in_currency(say("Price of cached tokens in")),
            "price_source": say("Source of the prices"),
            "context_window": say("Context window"),
            "keeps_completions": say("The provider keeps completions"),
            "unbilled_429": say("429: too many calls"),
            "unbilled_408": say("408 and 499: time-outs of a gateway"),
            "unbilled_5xx": say("5xx: errors of the server"),
            "unbilled_resets": say("Connections that break before a reply"),
            "offers_batches": say("The provider offers batches"),
            "batch_price_factor": say("Batch price"),
            "batch_calls": say("Maximum calls per batch"),
            "batch_megabytes": say("Maximum megabytes per batch"),
        }
        fields = ("name", "headers", "query", *labels)
        help_texts = {
            "name": say("As shown in tables and reports."),
            "key_name": say(
                "The name of the environment variable that holds it, such as OPENAI_API_KEY; empty: no "
                "key is sent. The key itself is never stored."
            ),
            "price_in": PRICE_HELP,
            "price_out": say("A call without a price is repeated automatically if its outcome is unknown."),
            "price_cached": say(
                "For the part of a message that the provider has in its cache. Empty: the same as other tokens."
            ),
            "price_source": say("Their source and date. Cleared when you change a price but not the source."),
            "takes_json_schema": say("Judge runs may then request verdicts by a schema."),
            "token_probabilities": say(
                "Tasks that compare options by their probabilities need them. vLLM, llama.cpp "
                "and most of OpenAI’s models without reasoning give them with a chat."
            ),
            "option_labels": say(
                "The token by which an answer names an option, where tasks compare their probabilities."
            ),
            "context_window": say("The maximum of tokens in message and answer together. Plans list longer calls."),
            "adapts_concurrency": say(
                "Half as many after 429, 503, a time-out or slower answers; then one more per round."
            ),
            "batch_price_factor": say("As a fraction of the normal prices. Empty: 0.5."),
            "batch_calls": say("Empty: 50,000, as at OpenAI."),
            "batch_megabytes": say("Empty: 200, as at OpenAI."),
            "requests_per_minute": say("Empty: no limit."),
            "tokens_per_minute": say("Empty: no limit."),
        }
        widgets = {
            "base_url": forms.TextInput(attrs={"placeholder": "https://api.openai.com/v1", "spellcheck": "false"}),
            "key_name": forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
            "notes": forms.Textarea(attrs={"rows": 2}),
        }

    @property
    def folds(self) -> list[Fold]:
        """The groups of other fields. One is open if something in it has to be corrected."""
        return [replace(fold, is_open=any(name in self.errors for name in fold.names.split())) for fold in FOLDS]

    def __init__(self, *args: Any, is_used: bool = False, **kwargs: Any):
        super().__init__(*args, **kwargs)
        decoding = dict(self.instance.decoding)
        for name in USUAL_DECODING:
            self.initial.setdefault(name, decoding.pop(name, None))
        self.initial.setdefault("more_decoding", decoding or None)
        for name in OF_BATCHES:
            self.fields[name].required = False
        self.is_used = is_used
        if is_used:
            sent = ("endpoint_name", "max_tokens_name", "empty_system_message", "more_decoding", *USUAL_DECODING)
            # It decides how replies are read.
            frozen = (*sent, "option_labels")
            for name in frozen:
                self.fields[name].disabled = True
        self.order_fields(
            ["name", "endpoint_name", "base_url", "key_name", "headers", "query", *USUAL_DECODING, "more_decoding"]
        )

    def clean_base_url(self) -> str:
        base_url = self.cleaned_data["base_url"].strip()
        if TO_REPLACE in base_url:
            raise forms.ValidationError(say("Replace {start}… by the names in your own address.", start=TO_REPLACE))
        try:
            check_base_url(base_url)
        except EndpointRefused as refused:
            raise forms.ValidationError(str(refused)) from None
        return base_url

    def clean_endpoint_name(self) -> str:
        return self.cleaned_data["endpoint_name"].strip()

    def clean_key_name(self) -> str:
        name = self.cleaned_data["key_name"].strip()
        if name and name not in settings.LLM_KEY_NAMES:
            # The typed text may be the key itself, which must not be repeated on a page.
            self.data = {name: self.data[name] for name in self.data} | {"key_name": ""}
            named = ", ".join(settings.LLM_KEY_NAMES) or say("none yet")
            raise forms.ValidationError(
                say(
                    "This is not among the variables that hold keys, which the operator names in "
                    "LLM_KEY_NAMES ({named}). Never enter a key itself here.",
                    named=named,
                )
            )
        return name

    def _clean_fields(self) -> None:
        super()._clean_fields()  # type: ignore[misc]
        # The typed text may contain secret values, which must not be repeated on a page.
        hidden = {name: "" for name in ("headers", "query") if self.errors.get(name)}
        if hidden:
            self.data = {name: self.data[name] for name in self.data} | hidden

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if values.get("key_name") and any(name.lower() == "authorization" for name in values.get("headers") or {}):
            self.add_error("headers", say("The key is sent as Authorization already. Leave one of them out."))
        if "price_source" not in self.changed_data and {"price_in", "price_out", "price_cached"} & {
            *self.changed_data
        }:
            values["price_source"] = ""
        more = values.pop("more_decoding", None)
        if more is not None and not isinstance(more, dict):
            self.add_error("more_decoding", say("Write an object: names and values in braces."))
            more = None
        usual = {name: values.pop(name, None) for name in USUAL_DECODING}
        if repeated := set(more or {}) & set(USUAL_DECODING):
            self.add_error("more_decoding", say("Use the field for {names}.", names=", ".join(sorted(repeated))))
        decoding = {name: whole(value) for name, value in usual.items() if value not in (None, "")} | (more or {})
        try:
            chat_request("", [], decoding)
        except ValueError as error:
            self.add_error("more_decoding", say("{error}.", error=changed(str(error), str.capitalize)))
        values["decoding"] = self.instance.decoding if self.is_used else decoding
        for name in OF_BATCHES:
            if values.get(name) is None and name not in self.errors:
                values[name] = getattr(LanguageModel(), name)
        cached, price_in = values.get("price_cached"), values.get("price_in")
        if cached is not None and (price_in is None or cached > price_in):
            self.add_error(
                "price_cached", say("Cached tokens cannot cost more than other tokens in. Set that price first.")
            )
        for field, needed in (
            ("base_url", say("A model needs its base URL.")),
            ("endpoint_name", say("A model needs its name at the endpoint.")),
        ):
            if not self.errors.get(field) and not values.get(field):
                self.add_error(field, needed)
        return values


def whole(value: object) -> Any:
    """An integer instead of a float (0, not 0.0), as in the paper's requests."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
