"""Measures reading an article for the desk, and the number of requests for finding the author of a tag.

    .venv/bin/python -m speed.read_article

Measures pages like Wikipedia's of 300 kB and of 5 MB, a table of 20,000 cells, and histories of 60 to 20,000
revisions. Prints the CPU time of this process, the best of several runs, so that other work on the machine does not
count.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from annotation.reading.pages import article_page
from annotation.reading.sanitise import safe
from annotation.reading.selection import select
from tests.annotation.evidence.test_tag_history import Memory, grown

LOCATION = {
    "family": "inconsistent",
    "paragraph_clean": "The bridge opened in 1903. It was closed in 1899 by the X town 77.",
}
PARAGRAPH = (
    '<p>The <a href="/wiki/Bridge" title="Bridge">bridge</a> opened in <b>1903</b>.<sup class="reference">'
    '<a href="#cite_note-1">[1]</a></sup> It was closed in 1899 by the <a href="/wiki/X" class="mw-redirect">'
    "X</a> town %d.</p>\n"
)
TABLE = "<table class=wikitable>" + ("<tr>" + "<td>1,000 t</td>" * 10 + "</tr>") * 2_000 + "</table>"


def article(size: int) -> str:
    return f'<div class="mw-parser-output">{"".join(PARAGRAPH % n for n in range(size // len(PARAGRAPH)))}</div>'


def best(function: Callable[..., Any], *arguments: Any, **named: Any) -> float:
    times = []
    for _ in range(5):
        begin = time.process_time()
        function(*arguments, **named)
        times.append(time.process_time() - begin)
    return 1_000 * min(times)


def main() -> None:
    for name, source in (("300 kB", article(300_000)), ("5 MB", article(5_000_000)), ("20,000 cells", TABLE)):
        arranged = best(
            article_page, source, page_url="https://en.wikipedia.org/wiki/X", prefix="a", location=LOCATION
        )
        page = article_page(source, page_url="https://en.wikipedia.org/wiki/X", prefix="a", location=LOCATION)
        picked = best(select, page["html"], 20_000, 20_400)
        print(
            f"{name:>14}: arranged, marked and sanitised in {arranged:.0f} ms (nh3 alone "
            f"{best(safe, source):.0f} ms), stored {len(page['html']) // 1_000} kB, a selection {picked:.0f} ms"
        )
    for count in (60, 600, 3_000, 20_000):
        for share in (0.05, 0.5, 0.95):
            first = max(1, round(count * share))
            memory = Memory(grown(count, range(first, count)), every=timedelta(hours=4 if count > 3_000 else 24))
            added = memory.found(hint=f"{memory.revisions[first].at:%B %Y}")
            right = "right" if memory.number(added.revision) == first else "WRONG"
            print(f"{count:>14} revisions, added at {share:.0%}: {memory.requests} requests, {right}")


if __name__ == "__main__":
    main()
