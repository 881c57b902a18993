"""Redis as a cache that may be down. Until it is back, each process counts on its own."""

import logging
import time
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as RedisIsAway
from redis.exceptions import TimeoutError as RedisIsSilent

log = logging.getLogger(__name__)

PAUSE_SECONDS = 10.0


class PatientRedisCache(RedisCache):
    """The cache counts attempts at passwords. People can sign in while Redis is down, and each process applies the
    limits on its own, so that an outage does not allow endless guessing."""

    # Django makes a cache for each thread; all threads of a process share the pause before Redis is tried again.
    away_until = 0.0

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._meanwhile = LocMemCache("while-redis-is-away", params)

    def _call(self, name: str, *args, **kwargs):
        if time.monotonic() >= PatientRedisCache.away_until:
            try:
                return getattr(super(), name)(*args, **kwargs)
            except (RedisIsAway, RedisIsSilent) as error:
                log.warning("Redis cannot be reached; limits are counted in this process for now: %s", error)
                PatientRedisCache.away_until = time.monotonic() + PAUSE_SECONDS
        return getattr(self._meanwhile, name)(*args, **kwargs)

    def add(self, *args, **kwargs):
        return self._call("add", *args, **kwargs)

    def get(self, *args, **kwargs):
        return self._call("get", *args, **kwargs)

    def set(self, *args, **kwargs):
        return self._call("set", *args, **kwargs)

    def touch(self, *args, **kwargs):
        return self._call("touch", *args, **kwargs)

    def delete(self, *args, **kwargs):
        return self._call("delete", *args, **kwargs)

    def has_key(self, *args, **kwargs):
        return self._call("has_key", *args, **kwargs)

    def incr(self, *args, **kwargs):
        return self._call("incr", *args, **kwargs)

    def get_many(self, *args, **kwargs):
        return self._call("get_many", *args, **kwargs)

    def set_many(self, *args, **kwargs):
        return self._call("set_many", *args, **kwargs)

    def delete_many(self, *args, **kwargs):
        return self._call("delete_many", *args, **kwargs)

    def clear(self):
        return self._call("clear")
