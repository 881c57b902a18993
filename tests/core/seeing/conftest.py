"""The log of a test, as a real site writes it."""

import json
import logging.config
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings

from config.logs import OUR_APPS, logging_settings


@pytest.fixture
def logged(tmp_path) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """`logged()` gives the lines so far, with those of all levels."""
    path = tmp_path / "logs" / "site.log"
    logging.config.dictConfig(logging_settings(level="DEBUG", form="json", file=path, days=2))
    try:
        yield lambda: [
            json.loads(line) for file in path.parent.glob("site-*.log") for line in file.read_text().splitlines()
        ]
    finally:
        logging.config.dictConfig(settings.LOGGING)
        for name in ("", "django", "django.request", "celery.app.trace", *OUR_APPS):
            logger = logging.getLogger(name)
            logger.handlers, level = [], logging.NOTSET if name else logging.WARNING
            logger.setLevel(level)
