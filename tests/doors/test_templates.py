"""Every template compiles: a fragment that is seldom shown must not fail on the day it is needed."""

from pathlib import Path

import pytest
from django.template.loader import get_template

FOLDER = Path(__file__).parents[2] / "templates"


@pytest.mark.parametrize("name", sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.html")))
def test_it_compiles(name):
    get_template(name)
