"""Initial values for a new model: the settings of well-known providers and servers, and a table of prices.

Both only fill in the form of a new model, where everything can be changed; no model changes when they do. The prices
(`prices.json`, US dollars per million tokens) ship with their month and their source page.
"""

import json
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from ..models import TokenProbabilities

# The part of an address that an admin has to replace before the model can be saved.
TO_REPLACE = "YOUR-"
JSON_SCHEMA = {"takes_json_schema": True}
PROBABILITIES = {"token_probabilities": TokenProbabilities.CHAT.value}
NEW_TOKEN_LIMIT = {"max_tokens_name": "max_completion_tokens"}
OF_AZURE = "Replace YOUR-… by the names in your Azure portal. The name at the endpoint is that of your deployment."


@dataclass(frozen=True, slots=True)
class Price:
    """A model's price in US dollars per million tokens; `source` gives the page and the date."""

    model: str
    price_in: Decimal
    price_out: Decimal
    price_cached: Decimal | None
    context_window: int | None
    source: str

    @property
    def values(self) -> dict[str, Any]:
        """The values of a new model's form."""
        prices = {"price_in": self.price_in, "price_out": self.price_out, "price_cached": self.price_cached}
        named = {"name": self.model, "endpoint_name": self.model, "price_source": self.source}
        return named | prices | {"context_window": self.context_window}


@dataclass(frozen=True, slots=True)
class Preset:
    """A provider or server: `values` are fields of a model, `hint` is a note about it."""

    code: str
    name: str
    base_url: str
    key_name: str = ""
    hint: str = ""
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, object]:
        return {"base_url": self.base_url, "key_name": self.key_name} | self.values

    @property
    def prices(self) -> list[Price]:
        return PRICES.get(self.code, [])


PRESETS = [
    Preset(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        "Reasoning models take no temperature: leave that field empty, and set the reasoning effort.",
        NEW_TOKEN_LIMIT | JSON_SCHEMA | {"keeps_completions": True},
    ),
    Preset(
        "azure",
        "Azure OpenAI (v1)",
        f"https://{TO_REPLACE}RESOURCE.openai.azure.com/openai/v1",
        "AZURE_OPENAI_API_KEY",
        OF_AZURE,
        NEW_TOKEN_LIMIT | JSON_SCHEMA,
    ),
    Preset(
        "azure-classic",
        "Azure OpenAI (classic)",
        f"https://{TO_REPLACE}RESOURCE.openai.azure.com/openai/deployments/{TO_REPLACE}DEPLOYMENT",
        "",
        f"{OF_AZURE} The key goes out in the header api-key, so the field for the key stays empty.",
        NEW_TOKEN_LIMIT
        | JSON_SCHEMA
        | {"headers": {"api-key": "AZURE_OPENAI_API_KEY"}, "query": {"api-version": "2024-10-21"}},
    ),
    Preset(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
        'For thoughts, write {"thinking": {"type": "enabled", "budget_tokens": 2000}} under other parameters. The '
        "endpoint ignores the seed.",
        {"empty_system_message": False},
    ),
    Preset(
        "google",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        "Thoughts count as tokens of the answer: raise the limit, or set the reasoning effort to none or low.",
        JSON_SCHEMA,
    ),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        'Names are like openai/gpt-4.1. To choose among providers, write {"provider": …} under other parameters.',
    ),
    Preset(
        "vllm",
        "vLLM",
        "http://localhost:8000/v1",
        "",
        'To switch thoughts off, write {"chat_template_kwargs": {"enable_thinking": false}} under other parameters, '
        "if the model’s chat template knows it.",
        JSON_SCHEMA | PROBABILITIES,
    ),
    Preset(
        "ollama",
        "Ollama",
        "http://localhost:11434/v1",
        "",
        "Ollama cuts long prompts at its own context length: set OLLAMA_CONTEXT_LENGTH there, and the context window "
        "here.",
        JSON_SCHEMA | {"concurrent_calls": 4},
    ),
    Preset(
        "llama.cpp",
        "llama.cpp",
        "http://localhost:8080/v1",
        "",
        "llama-server answers as many calls at a time as its option --parallel says; they may share its context.",
        JSON_SCHEMA | PROBABILITIES | {"concurrent_calls": 4},
    ),
    Preset(
        "litellm",
        "LiteLLM",
        "http://localhost:4000/v1",
        "LITELLM_API_KEY",
        "Names are those of your proxy’s configuration. Switch its own retries off: it would pay for them unseen.",
    ),
]


def read_prices() -> dict[str, list[Price]]:
    table = json.loads(Path(__file__).with_name("prices.json").read_text(encoding="utf-8"))
    return {
        code: [
            Price(
                model,
                price_in=Decimal(each["in"]),
                price_out=Decimal(each["out"]),
                price_cached=Decimal(each["cached"]) if "cached" in each else None,
                context_window=each.get("context_window"),
                source=f"US dollars, as of {each['as_of']}: {provider['source']}",
            )
            for model, each in provider["models"].items()
        ]
        for code, provider in table.items()
    }


PRICES = read_prices()


def find_preset(code: str) -> Preset | None:
    return next((preset for preset in PRESETS if preset.code == code), None)


def find_price(preset: Preset, model: str) -> Price | None:
    return next((price for price in preset.prices if price.model == model), None)
