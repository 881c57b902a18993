"""The published guideline: version 1, as it comes with the program."""

import re
from functools import cache
from pathlib import Path

from ..content.fields import STEPS

FILE = Path(__file__).with_name("version_1.txt")
HEADING = re.compile(r"^# Step \d\n\n", re.MULTILINE)


@cache
def published_steps() -> dict[str, str]:
    """The texts of the six steps of version 1, by the names of `GuidelineVersion`'s columns."""
    _, *texts = HEADING.split(FILE.read_text(encoding="utf-8"))
    return {f"step_{step}": text.strip() for step, text in zip(STEPS, texts, strict=True)}
