"""The path of Chromium: for the tests, the pictures of the docs and the benchmark of the desk."""

import os
import shutil

# The one without a window first: it draws the same pages for about two thirds of the work.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")


def find_chromium() -> str | None:
    """The program that CHROMIUM names, else the first of `NAMES` that is installed; None if there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
