"""Checks a site of static pages: nothing on it is loaded from another. `python -m docs.loaded FOLDER`."""

import re
import sys
from pathlib import Path

# Elements that a browser loads automatically; links for readers are not included.
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*?\ssrc=["']?(?:https?:)?//[^"'\s>]+"""
    r"""|<link\b(?=[^>]*rel=["']?(?:stylesheet|preconnect|dns-prefetch|preload|icon))[^>]*href=["']?(?:https?:)?//[^"'\s>]+"""
    r"""|@import\s+["'](?:https?:)?//[^"']+|url\(["']?(?:https?:)?//[^)"']+""",
    re.IGNORECASE,
)
ENDINGS = {".html", ".css"}


def loaded_from_elsewhere(folder: Path) -> list[str]:
    """Addresses that pages and style sheets below this folder load from other sites, each with its file."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS)
    return [
        f"{path.relative_to(folder)}: {match[0][:200]}"
        for path in files
        for match in LOADED.finditer(path.read_text(encoding="utf-8"))
    ]


if __name__ == "__main__":
    site = Path(sys.argv[1])
    wrong = loaded_from_elsewhere(site)
    sys.stdout.write("\n".join([*wrong, f"{sum(1 for _ in site.rglob('*.html'))} pages, {len(wrong)} loads."]) + "\n")
    sys.exit(1 if wrong else 0)
