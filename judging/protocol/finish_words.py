"""The providers' words for why a model stopped writing. One table for live calls, batches, files and logs.

Sources: the API references of OpenAI, Anthropic, Google (Gemini), Mistral, Cohere, DeepSeek, Amazon (Bedrock), Zhipu,
OpenRouter, watsonx, vLLM, llama.cpp, Ollama, text-generation-inference and Inspect.
"""

import json
import re
from enum import StrEnum


class Finish(StrEnum):
    """The meaning of a finish word for the reply."""

    WHOLE = "whole"
    CUT = "cut"
    FILTERED = "filtered"
    REFUSED = "refused"
    # The provider stopped with an error: the text is no answer.
    ERROR = "error"
    # An unlisted word, or one for something that was not requested, such as a tool call.
    UNKNOWN = "unknown"


_WORDS = {
    Finish.WHOLE: "stop end_turn stop_sequence stop_token eos eos_token end end_of_text endoftext "
    "complete completed finish finished",
    Finish.CUT: "length max_tokens max_output_tokens max_new_tokens max_length model_length token_limit "
    "model_context_window_exceeded context_window_exceeded context_length context_length_exceeded error_limit "
    "incomplete time_limit not_finished truncated max_tokens_reached",
    Finish.FILTERED: "content_filter content_filtered filtered content_blocked safety image_safety recitation "
    "image_recitation prohibited_content image_prohibited_content blocklist spii language "
    "sensitive error_toxic guardrail_intervened guardrail moderation blocked policy_violation",
    Finish.REFUSED: "refusal refused model_refusal",
    Finish.ERROR: "error abort aborted cancel cancelled canceled user_cancel insufficient_system_resource "
    "insufficient_system_resources network_error server_error internal_error internal_server_error engine_error "
    "overloaded overloaded_error rate_limit rate_limit_exceeded timeout time_out failed failure load unload "
    "malformed_response rate_limited too_many_requests resource_exhausted unavailable service_unavailable",
}
_MEANINGS = {word: finish for finish, words in _WORDS.items() for word in words.split()}
# Where an explanation begins behind a word.
_EXPLANATION = re.compile(r"[:/(;,.]|\s-\s")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ENUMS = re.compile(r"^(?:finish|stop)_?reason[._]", re.IGNORECASE)
LONGEST_WORD = 40


def finish_of(word: str) -> Finish:
    """The meaning of a finish word. Case and an explanation after it are ignored; but with an explanation, a reply is
    not complete. A missing word means a complete reply.
    """
    if not word.strip():
        return Finish.WHOLE
    said, *explained = _EXPLANATION.split(_ENUMS.sub("", word.strip()), maxsplit=1)
    finish = _MEANINGS.get(re.sub(r"[\s-]+", "_", _HUMP.sub("_", said.strip())).lower(), Finish.UNKNOWN)
    return Finish.UNKNOWN if any(map(str.strip, explained)) and finish == Finish.WHOLE else finish


def word_of(value: object) -> str:
    """The word in its field: "" if it is missing, the type or the reason of an object that names one, otherwise the
    JSON of a value that is not text.
    """
    if value is None:
        return ""
    if isinstance(value, dict):
        named = (value.get(name) for name in ("type", "reason"))
        value = next((each for each in named if isinstance(each, str) and each.strip()), value)
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return f"a nested {type(value).__name__}"
