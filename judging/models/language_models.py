"""The models that answer and judge, and the limits on their use."""

from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from core.languages import say
from core.models import VisibleManager, WrittenInBatches

from ..endpoints import costs
from ..endpoints.addresses import Endpoint
from ..endpoints.failures import GATEWAY_TIMEOUTS, CallFailed, InDoubt, NotSent, RateLimited

# The names of the token limit in a decoding.
TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")
# The last digit of amounts of money in the database.
SMALLEST_AMOUNT = Decimal("1e-10")


def default_decoding() -> dict[str, object]:
    """The decoding of a new model: deterministic, with a limit that a short answer never reaches."""
    return {"temperature": 0, "max_tokens": 250, "seed": 5}


class ModelKind(models.TextChoices):
    ENDPOINT = "endpoint", say("Called at an OpenAI-compatible endpoint")
    BASELINE = "baseline", say("A baseline that ships with the program")
    IMPORTED = "imported", say("Known only from imported responses")


class TokenProbabilities(models.TextChoices):
    """The way in which an endpoint gives the log-probabilities of a reply's tokens."""

    NONE = "", say("None")
    CHAT = "chat", say("With a chat (logprobs, top_logprobs)")
    COMPLETIONS = "completions", say("With a completion of the message as one text (/completions, logprobs)")


class OptionLabels(models.TextChoices):
    """The way in which a model begins an answer that names one of several options."""

    LIKELIEST = "", say("Whichever of these is the likeliest in a reply")
    BLANK = " A", say("A blank and the letter, as one token")
    PLAIN = "A", say("The letter by itself")
    BRACKETS = "(A)", say("The letter in brackets")


class LanguageModelQuerySet(models.QuerySet["LanguageModel"]):
    def callable(self) -> "LanguageModelQuerySet":
        """Models that a new run may ask."""
        return self.filter(is_offered=True).exclude(kind=ModelKind.IMPORTED)


def _price(words: str, help_text: str = "") -> models.DecimalField:
    return models.DecimalField(
        words,
        max_digits=12,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=help_text,
    )


class LanguageModel(WrittenInBatches):
    """A model that runs can ask. The settings that determine its answers (kind, endpoint name, decoding, system
    message) are frozen by the database once a call has been made: a model that answers differently is a different
    model.
    """

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=10, choices=ModelKind, default=ModelKind.ENDPOINT)
    endpoint_name = models.CharField(max_length=200, blank=True, help_text=say("The model's name at the endpoint."))
    base_url = models.CharField(max_length=500, blank=True, help_text=say("Ends in /v1 at most servers."))
    key_name = models.CharField(
        max_length=100,
        blank=True,
        help_text=say(
            "The environment variable that holds the key, such as OPENAI_API_KEY. The key is stored nowhere."
        ),
    )
    headers = models.JSONField(
        default=dict, blank=True, help_text=say("Headers by name, each with its variable's name.")
    )
    query = models.JSONField(default=dict, blank=True, help_text=say("Parameters of the address, by name."))
    decoding = models.JSONField(default=default_decoding, blank=True)
    max_tokens_name = models.CharField(
        max_length=30,
        default="max_tokens",
        choices=[(name, name) for name in ("max_tokens", "max_completion_tokens")],
        help_text=say("The name under which the endpoint takes the token limit."),
    )
    empty_system_message = models.BooleanField(
        default=True, help_text=say("Send an empty system message, as the paper's runs did. Some models accept none.")
    )
    keeps_completions = models.BooleanField(
        default=False,
        help_text=say("Ask the provider to keep each completion, so that a call in doubt can be looked up there."),
    )
    # Outcomes that this provider does not bill, as declared by an admin: such calls are repeated automatically.
    unbilled_429 = models.BooleanField(default=True)
    unbilled_408 = models.BooleanField(default=False)
    unbilled_5xx = models.BooleanField(default=False)
    unbilled_resets = models.BooleanField(default=False)
    takes_json_schema = models.BooleanField(
        default=False, help_text=say("It can answer in the form of a JSON schema.")
    )
    token_probabilities = models.CharField(
        max_length=12,
        choices=TokenProbabilities,
        blank=True,
        default=TokenProbabilities.NONE,
        help_text=say("The endpoint's way of giving log-probabilities of a reply's tokens."),
    )
    option_labels = models.CharField(
        max_length=3,
        choices=OptionLabels,
        blank=True,
        default=OptionLabels.LIKELIEST,
        help_text=say("How it writes the label of an option, where options are compared by their probabilities."),
    )
    offers_batches = models.BooleanField(
        default=False,
        help_text=say("The endpoint accepts files of calls and returns the replies within a day, as OpenAI's does."),
    )
    batch_price_factor = models.DecimalField(
        "price of a call in a batch, as a part of the price",
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.5"),
        validators=[MinValueValidator(0), MaxValueValidator(1)],
    )
    # The provider's limits for one batch; these are OpenAI's.
    batch_calls = models.PositiveIntegerField(
        default=50_000, validators=[MinValueValidator(1), MaxValueValidator(1_000_000)]
    )
    batch_megabytes = models.PositiveIntegerField(
        default=200, validators=[MinValueValidator(1), MaxValueValidator(10_000)]
    )
    timeout_seconds = models.PositiveIntegerField(
        default=120, validators=[MinValueValidator(1), MaxValueValidator(3600)]
    )
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    tokens_per_minute = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    concurrent_calls = models.PositiveSmallIntegerField(
        default=8, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    adapts_concurrency = models.BooleanField(default=True)
    price_in = _price(
        "price per million tokens in",
        help_text=say(
            "Leave both prices empty only for a server of your own: its calls may be repeated automatically."
        ),
    )
    price_out = _price("price per million tokens out")
    price_cached = _price("price per million tokens in that the provider had in its cache")
    price_source = models.CharField(max_length=200, blank=True, help_text=say("The source and date of the prices."))
    context_window = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=say("The maximum of tokens in message and answer."),
    )
    is_offered = models.BooleanField(default=True, help_text=say("Offered for new runs."))
    notes = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    objects = VisibleManager.from_queryset(LanguageModelQuerySet)()
    everything = LanguageModelQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(kind=ModelKind.ENDPOINT) | (~Q(base_url="") & ~Q(endpoint_name="")),
                name="an_endpoint_has_address_and_name",
            ),
            models.CheckConstraint(
                condition=Q(kind=ModelKind.ENDPOINT)
                | Q(price_in=None, price_out=None, price_cached=None, base_url="", key_name=""),
                name="only_an_endpoint_has_price_and_address",
            ),
            models.CheckConstraint(condition=Q(concurrent_calls__gte=1), name="at_least_one_call_at_a_time"),
            models.CheckConstraint(
                condition=Q(batch_price_factor__gte=0, batch_price_factor__lte=1, batch_calls__gte=1)
                & Q(batch_megabytes__gte=1),
                name="a_batch_has_room_and_costs_no_more",
            ),
            models.CheckConstraint(
                condition=(Q(price_in=None) | Q(price_in__gte=0)) & (Q(price_out=None) | Q(price_out__gte=0)),
                name="no_price_below_nothing",
            ),
            # The maximum cost of a call is computed without a cache.
            models.CheckConstraint(
                condition=Q(price_cached=None)
                | Q(price_in__isnull=False, price_cached__gte=0, price_cached__lte=F("price_in")),
                name="cached_tokens_cost_no_more_than_others",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_priced(self) -> bool:
        """Return whether repeating a call would cost money again."""
        return bool(self.price_in or self.price_out)

    @property
    def max_tokens(self) -> int | None:
        """The maximum number of tokens of an answer; None if the decoding does not set it."""
        limits = [self.decoding.get(name) for name in TOKEN_LIMITS]
        return next((limit for limit in limits if isinstance(limit, int)), None)

    @property
    def endpoint(self) -> Endpoint:
        timeout = float(self.timeout_seconds)
        return Endpoint(
            self.base_url,
            self.key_name,
            headers=self.headers,
            query=self.query,
            timeout=timeout,
            connect_timeout=min(10.0, timeout),
        )

    @property
    def unbilled(self) -> list[str]:
        """The outcomes of a call that the provider does not bill, by declaration, in words."""
        said = {
            say("429 (too many calls)"): self.unbilled_429,
            say("408 and 499 (time-outs of a gateway)"): self.unbilled_408,
            say("5xx (errors of the server)"): self.unbilled_5xx,
            say("connections that break before a reply"): self.unbilled_resets,
        }
        return [words for words, is_unbilled in said.items() if is_unbilled]

    def does_not_bill(self, failure: CallFailed) -> bool:
        """Return whether a call with this outcome cost nothing: because nothing was sent, or by declaration."""
        if isinstance(failure, RateLimited):
            return self.unbilled_429
        if not isinstance(failure, InDoubt):
            return isinstance(failure, NotSent)
        if failure.before_reply:
            return self.unbilled_resets
        if failure.status in GATEWAY_TIMEOUTS:
            return self.unbilled_408
        return self.unbilled_5xx and (failure.status or 0) >= 500

    @property
    def is_at_zero_temperature(self) -> bool:
        """Return whether its decoding requests the likeliest answer, so that the same request should get the same
        one.
        """
        return self.decoding.get("temperature") == 0 and not isinstance(self.decoding["temperature"], bool)

    def cost(
        self, prompt_tokens: int, completion_tokens: int, *, cached_tokens: int = 0, in_batch: bool = False
    ) -> Decimal:
        """The cost of this many tokens, `cached_tokens` of the prompt's coming from the provider's cache; 0 for a
        model without a price."""
        full = costs.cost(
            prompt_tokens,
            completion_tokens,
            price_in=self.price_in or Decimal(0),
            price_out=self.price_out or Decimal(0),
            cached_tokens=cached_tokens,
            price_cached=self.price_cached,
        )
        # Rounded to the stored digits, so that sums over attempts equal the amounts that runs have committed.
        return (full * self.batch_price_factor).quantize(SMALLEST_AMOUNT) if in_batch else full


class Throttle(models.Model):
    """The latest load signals of a model's endpoint. Workers lock this row to take calls in turn."""

    model = models.OneToOneField(LanguageModel, models.CASCADE, primary_key=True, related_name="throttle")
    paused_until = models.DateTimeField(null=True, blank=True)
    # Connections that failed in a row. While there are any, only one call at a time tests whether the server is back.
    failures = models.PositiveSmallIntegerField(default=0)
    reason = models.TextField(blank=True)
    # Calls at a time, as the endpoint's answers allow (judging.runs.calls.width); None is the model's limit.
    width = models.FloatField(null=True, blank=True)
    usual_pace = models.FloatField(default=0)
    recent_pace = models.FloatField(default=0)
    answers = models.PositiveSmallIntegerField(default=0)
    narrowed_at = models.DateTimeField(null=True, blank=True)
    narrowed_because = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(width=None) | Q(width__gte=1), name="at_least_one_call_stays_allowed")
        ]

    def __str__(self) -> str:
        return f"throttle of {self.model_id}"

    def pause_at(self, now: datetime) -> datetime | None:
        """The time until which no call may be sent; None if one may."""
        return self.paused_until if self.paused_until and self.paused_until > now else None

    @property
    def calls_at_a_time(self) -> int:
        """The current number of concurrent calls to the model's endpoint."""
        limit = self.model.concurrent_calls
        return min(limit, int(self.width)) if self.width and self.model.adapts_concurrency else limit
