"""Fixtures of the apps below, for tests of a benchmark above them."""

from tests.judging.conftest import engine, server, writer
from tests.review.conftest import pat, people

__all__ = ["engine", "pat", "people", "server", "writer"]
