"""The cursor for compiled SQL."""

from typing import Any

from django.conf import settings
from django.db import connection


def prepared_cursor() -> Any:
    """A cursor that has PostgreSQL keep the plan; SQLite's driver does so anyway."""
    return getattr(connection, "prepared_cursor", connection.cursor)() if settings.PREPARED else connection.cursor()
