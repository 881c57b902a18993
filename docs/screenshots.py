"""The pictures in this folder, taken anew from a site of its own: `make screenshots`.

Starts the workbench on an empty database in a temporary folder, lets the people of the demo do a little work through
the pages themselves (`docs/scenes.py`), and photographs what README and docs show of it. With `--all`, everything,
also in the dark and on a phone: to be looked at while working on a page, so give another folder with `--to`.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests
from playwright.sync_api import expect, sync_playwright

from docs.scenes import play
from docs.studio import PATIENCE, Studio
from tests.browser.chromium import find_chromium
from tests.servers.services import free_port

ROOT = Path(__file__).parents[1]
# Chromium is quiet on a machine without a network, and runs as root inside a container.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def site() -> Iterator[str]:
    """A freshly prepared workbench; gives its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory(prefix="screenshots-") as folder:
        environment = {
            k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL")
        }
        environment |= {"VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        subprocess.run([sys.executable, "manage.py", "prepare"], cwd=ROOT, env=environment, check=True)
        log = Path(folder) / "log"
        with log.open("w") as out:
            command = [sys.executable, "manage.py", "up", "--port", str(port)]
            up = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            wait_until_up(address)
            yield address
        except BaseException:
            print(log.read_text(), file=sys.stderr)
            raise
        finally:
            up.terminate()
            up.wait(30)


def wait_until_up(address: str) -> None:
    for _ in range(400):
        try:
            if requests.get(f"{address}/health/", timeout=2).ok:
                return
        except requests.RequestException:
            pass
        time.sleep(0.3)
    raise SystemExit(f"{address} did not answer")


def names_shown() -> set[str]:
    """The pictures that README and docs show."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    return {name for page in pages for name in re.findall(r"images/([\w-]+)\.png", page.read_text())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also what no page shows, dark, and on a phone")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "images", metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="NAME", help="pictures whose name starts so")
    options = parser.parse_args()
    chromium = find_chromium()
    if not chromium:
        raise SystemExit("There is no Chromium here: install Debian's chromium-headless-shell, or set CHROMIUM.")
    options.to.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE)
    with site() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        shown = names_shown()
        studio = Studio(
            browser,
            address,
            options.to,
            lambda name: name.startswith(options.only) and (options.all or name in shown),
            options.all,
        )
        play(studio)
        browser.close()
    if studio.errors:
        raise SystemExit("\n".join(studio.errors))


if __name__ == "__main__":
    main()
