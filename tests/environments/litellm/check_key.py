"""Checks keys for LiteLLM's proxy without a database of keys; LiteLLM imports it, we do not."""

import os

from litellm.proxy._types import ProxyException, UserAPIKeyAuth


async def check_key(request, api_key: str) -> UserAPIKeyAuth:
    if api_key != os.environ["GOOD_KEY"]:
        raise ProxyException(message=f"Invalid key: {api_key}", type="auth_error", param="key", code=401)
    return UserAPIKeyAuth(api_key=api_key)
