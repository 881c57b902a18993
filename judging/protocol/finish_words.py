"""Why a model stopped writing, in the words of the providers. One table for live calls, batches, files and logs.

Sources: the API references of OpenAI, Anthropic, Google (Gemini), Mistral, Cohere, DeepSeek, Amazon (Bedrock), Zhipu,
OpenRouter, vLLM, llama.cpp, Ollama, text-generation-inference and Inspect.
"""

from enum import StrEnum


class Finish(StrEnum):
    """What a finish word says of the reply."""

    WHOLE = "whole"
    CUT = "cut"
    FILTERED = "filtered"
    REFUSED = "refused"
    # The provider broke off: what came is no answer.
    ERROR = "error"
    # A word that nobody listed, or one for something that was not asked for, such as a call of a tool.
    UNKNOWN = "unknown"


_WORDS = {
    Finish.WHOLE: "stop end_turn stop_sequence stop_token eos eos_token end complete completed finished",
    Finish.CUT: "length max_tokens max_output_tokens max_new_tokens max_length model_length token_limit "
    "model_context_window_exceeded context_length context_length_exceeded error_limit incomplete",
    Finish.FILTERED: "content_filter content_filtered filtered content_blocked safety image_safety recitation "
    "prohibited_content blocklist spii language sensitive error_toxic guardrail_intervened guardrail moderation",
    Finish.REFUSED: "refusal refused model_refusal",
    Finish.ERROR: "error abort aborted cancel cancelled canceled user_cancel insufficient_system_resource "
    "insufficient_system_resources network_error server_error internal_error internal_server_error engine_error "
    "overloaded overloaded_error rate_limit rate_limit_exceeded timeout time_out failed failure load unload "
    "malformed_response",
}
_MEANINGS = {word: finish for finish, words in _WORDS.items() for word in words.split()}


def finish_of(word: str) -> Finish:
    """What a finish word says. Case does not count, nor what follows a colon; no word says that all is there."""
    said = word.partition(":")[0].strip().lower().replace("-", "_").replace(" ", "_")
    said = said.removeprefix("finish_reason_").removeprefix("finishreason.")
    return _MEANINGS.get(said, Finish.UNKNOWN) if said or word.strip() else Finish.WHOLE
