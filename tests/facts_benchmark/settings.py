"""The settings of tests, with the benchmark of facts installed."""

from pathlib import Path

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS, TEMPLATES

INSTALLED_APPS = [*INSTALLED_APPS, "tests.facts_benchmark"]
TEMPLATES[0]["DIRS"] = [*TEMPLATES[0]["DIRS"], Path(__file__).parent / "templates"]
