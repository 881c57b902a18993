"""A wiki to try things on: `python -m tests.mediawiki up [FOLDER] [--port N] [--pages FOLDER | --dump FILE.xml]`."""

import argparse
import tempfile
from pathlib import Path

from tests.mediawiki.content import TEMPLATES, all_pages
from tests.mediawiki.dumpfile import read_pages
from tests.mediawiki.server import MediaWiki, missing

parser = argparse.ArgumentParser(prog="python -m tests.mediawiki", description=__doc__)
parser.add_argument("command", choices=["up", "down"])
parser.add_argument("folder", nargs="?", type=Path, default=Path(tempfile.gettempdir()) / "test-mediawiki")
parser.add_argument("--port", type=int, default=8100)
parser.add_argument("--pages", type=Path, help="a folder of Title.wikitext and Title.history.jsonl")
parser.add_argument("--dump", type=Path, help="an XML dump, unpacked")
options = parser.parse_args()

wiki = MediaWiki(options.folder.absolute(), options.port)
stopped = wiki.stop()
if options.command == "down":
    print("Stopped." if stopped else f"No wiki is running from {options.folder}.")
elif problem := missing():
    raise SystemExit(f"{problem}: run .ci/services as root.")
else:
    if not (wiki.folder / "LocalSettings.php").exists():
        wiki.install()
        wiki.add(all_pages() if not (options.pages or options.dump) else read_pages(TEMPLATES))
    if options.pages:
        wiki.add(read_pages(options.pages))
    if options.dump:
        wiki.add_dump(options.dump)
    wiki.start(workers=4, outlive=True)
    print(f"{wiki.api_url}\nLevers are files in {wiki.folder}/levers (see router.php); stop it with `down`.")
