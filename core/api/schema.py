"""The OpenAPI description of all addresses (3.1), made once per process."""

from functools import cache
from typing import Any

from django.conf import settings
from drf_spectacular.generators import SchemaGenerator


@cache
def schema() -> dict[str, Any]:
    return SchemaGenerator(urlconf=settings.API_URLS).get_schema(request=None, public=True)
