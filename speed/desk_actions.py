"""Measures the actions of an annotation at the desk, the time until the desk and the next tag are usable, the bytes
loaded, and layout shifts during loading.

    python -m speed.desk_actions

A real MediaWiki serves two worked examples in our own words, two of the sample articles, and an article of 300 kB, which
are harvested and played in Chromium, with keys and with the mouse alone. Counts clicks, selections and keys other than
typed text, and compares each text with the example's. The page also watches for switches of window or tab, copies and
pastes. Needs Chromium and Debian's mediawiki package.
"""

import gzip
import io
import json
import os
import re
import statistics
from pathlib import Path
from xml.etree import ElementTree

from speed.laboratory import laboratory
from speed.playing.desk import EXAMPLES, play, play_with_mouse
from speed.playing.servers import web_server
from tests.browser.chromium import find_chromium

ARTICLES = Path(__file__).parents[1] / "annotation" / "samples" / "articles.xml"
# The person who plays with keys and mouse, and the one who uses the mouse alone.
PEOPLE = ("anna", "otto")
# ruff: noqa: E501
BRIDGES = """'''14th Street bridges''' is the common name of the group of bridges that carry road and rail traffic over the Potomac \
River between Arlington and Washington.

== Spans ==
The group is made up of three road bridges and two bridges for trains.<ref>County records</ref> It was renamed span by span.

The northbound bridge was the first of the present ones. It opened to traffic on 9 May 1950.{{Inconsistent|date=May 2023|reason=see History}} \
It rests on 16 piers.

== History ==
Planning began after the war. The northbound bridge was opened in 1948, and the old Highway Bridge was closed.
"""
DIVISION = """{{Infobox bridge
| name = 10th Garrison Division
| opened = 1 January 1936
| closed = 30 September 1944
}}
The '''10th Garrison Division''' was a unit of a coastal army that guarded a stretch of shore and its harbours.

== Formation ==
The division was raised in March 1941 out of older coastal battalions.{{Contradictory inline|date=May 2023}} It had nine battalions at first.

== End ==
Its last men were sent home after the armistice.
"""
# Rows of the infobox that the sample articles get here.
INFOBOX = ("population", "founded", "length", "spans", "opened")
# Played with keys, and with the mouse alone by another person.
BOTH_WAYS = EXAMPLES
LONG_PARAGRAPH = "The long causeway was finished in 1903.{{Inconsistent|date=May 2024}} It is 300 m long."


def long_article() -> str:
    sentences = " ".join(
        f"Its pier {n} was mended in 19{n % 90 + 10} at a cost of {n * 37} crowns." for n in range(6)
    )
    parts, size = [], 0
    while size < 300_000:
        heading = f"\n== Section {len(parts) // 5} ==\n" if len(parts) % 5 == 0 else ""
        parts.append(f"{heading}{sentences}<ref>Ledger {len(parts)}</ref> See [[Pier {len(parts)}]].\n\n")
        size += len(parts[-1])
    parts.insert(len(parts) * 2 // 3, LONG_PARAGRAPH + "\n\n")
    return "".join(parts)


def sample(title: str) -> str:
    """The text of one of the sample articles. Its infobox is one that the wiki has."""
    pages = ElementTree.parse(ARTICLES).getroot().iterfind("{*}page")
    text = next(page.findtext(".//{*}text") or "" for page in pages if page.findtext("{*}title") == title)
    return re.sub(r"Infobox \w+", "Infobox sample", text)


def infobox(rows: tuple[str, ...]) -> str:
    cells = "".join(f"|-\n| {row.title()} || {{{{{{{row}|}}}}}}\n" for row in rows)
    return f'<includeonly>{{| class="infobox"\n! colspan="2" | {{{{{{name|}}}}}}\n{cells}|}}</includeonly>'


# --- The machine -------------------------------------------------------------------------------------------------


def start_wiki(folder: Path):
    from tests.mediawiki.content import templates
    from tests.mediawiki.dumpfile import Page
    from tests.mediawiki.server import MediaWiki

    wiki = MediaWiki(folder / "wiki")
    wiki.install()
    texts = {"14th Street bridges": BRIDGES, **{title: sample(title) for title in ("Port Averil", "Harrick Viaduct")}}
    texts |= {"10th Garrison Division": DIVISION, "Long causeway": long_article()}
    texts |= {f"Long causeway {n}": long_article() for n in range(2, 8)}
    box = Page.of("Template:Infobox sample", infobox(INFOBOX))
    wiki.add([*templates(), box, *(Page.of(title, text) for title, text in texts.items())])
    wiki.start()
    return wiki, list(texts)


def fill(api_url: str, titles: list[str]) -> None:
    """Harvest the articles, fetch their evidence, and add an annotator."""
    from django.contrib.auth.models import Group
    from django.core.management import call_command

    from annotation import evidence
    from annotation.desk.assignments.assigning import set_annotations_needed
    from annotation.harvesting.wikis import allow_wiki
    from annotation.models import Article, Assignment, Evidence, Tag, Wiki
    from core.models import User

    wiki = allow_wiki(address=api_url)
    call_command("harvest_articles", "--wiki", wiki.api_url, "--titles", *titles, stdout=io.StringIO())
    for name in PEOPLE:
        user = User.objects.create_user(name, password=name)
        user.groups.add(Group.objects.get(name="annotator"))
    order = {title: len(titles) - at for at, title in enumerate(titles)}
    for tag in Tag.objects.select_related("article"):
        tag.priority = order[tag.article.title] if is_played(tag) else 0
        tag.save(update_fields=["priority"])
        Assignment.objects.filter(tag=tag).update(priority=tag.priority)
        evidence.ask_for_evidence(tag=tag)
        evidence.work_off(tag.pk)
        if is_played(tag) and tag.article.title in {example.title for example in BOTH_WAYS}:
            set_annotations_needed(tag=tag, needed=len(PEOPLE), admin=user)
    kept = Evidence.objects.filter(kind="article", rendering="wiki").values("tag__article").distinct().count()
    assert kept == Article.objects.count() == len(titles), f"{kept} articles of {len(titles)} as the wiki shows them"
    assert Wiki.objects.count() == 1


def is_played(tag) -> bool:
    """Return whether this is the tag of its article that is annotated here; a sample article has another one."""
    firsts = {example.title: example.selections[0] for example in EXAMPLES}
    return firsts.get(tag.article.title, "") in tag.paragraph_clean


# --- Counting ----------------------------------------------------------------------------------------------------

WATCH = """
window.shift = 0;
new PerformanceObserver((seen) => {
  for (const entry of seen.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
addEventListener("copy", () => sessionStorage.copies = 1 + Number(sessionStorage.copies ?? 0));
addEventListener("paste", () => sessionStorage.pastes = 1 + Number(sessionStorage.pastes ?? 0));
addEventListener("click", (event) => {
  if (event.target.closest("form")) sessionStorage.clickedAt = Date.now();
}, true);
addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.ctrlKey) sessionStorage.clickedAt = Date.now();
}, true);
// The next tag may come in the same document: its address tells it from the last one.
window.leaveFrom = (address) => { window.left = address; window.usableAt = undefined; look(); };
look();
function look() {
  const tagged = document.querySelector("#panel-article .ev-tagged")?.getBoundingClientRect();
  const frame = document.querySelector("#panel-article")?.getBoundingClientRect();
  const isShown = tagged && tagged.bottom > frame.top && tagged.top < frame.bottom;
  const isNext = location.href !== window.left && document.activeElement?.closest("#desk-form");
  if (isShown && isNext) window.usableAt = Date.now();
  else requestAnimationFrame(look);
}
"""


class Bytes:
    """Counts the bytes that Chromium receives."""

    def __init__(self, page):
        self.total = 0
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", self._add)

    def _add(self, event: dict) -> None:
        self.total += int(event["encodedDataLength"])

    def taken(self) -> int:
        total, self.total = self.total, 0
        return total


def usable_ms(page, clicked_on: str = "", since: str = "Number(sessionStorage.clickedAt)") -> float:
    """Milliseconds from the click, or from `since`, until another page than the one `clicked_on` has its first field
    focused and the article at its tag.
    """
    for _ in range(200):
        if page.url != clicked_on and page.evaluate("window.usableAt !== undefined"):
            return page.evaluate(f"window.usableAt - {since}")
        page.wait_for_timeout(50)  # the page's policy refuses Playwright's own way of waiting for a condition
    raise RuntimeError("the desk did not become usable")


def figures(name: str, times: list[float]) -> dict[str, object]:
    """Print times in milliseconds and their median, under this name."""
    return {name: sorted(round(one) for one in times), f"{name}_median": round(statistics.median(times))}


def measure(address: str) -> dict[str, object]:
    from playwright.sync_api import sync_playwright

    chromium = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(base_url=address, viewport={"width": 1400, "height": 900})
        context.add_init_script(WATCH)
        page = context.new_page()
        opened: list[object] = []
        context.on("page", lambda new: opened.append(new))
        sign_in(page, PEOPLE[0])
        cookies = context.cookies()
        cold = browser.new_context(base_url=address, viewport={"width": 1400, "height": 900})
        cold.add_init_script(WATCH)
        cold.add_cookies(cookies)
        found: dict[str, object] = {"first_load_bytes": first_load(cold.new_page())}
        to_next_tag(page)
        for example in EXAMPLES:
            counts = play(page, example)
            found[example.title] = with_actions(counts)
        found["with_the_mouse_alone"] = mouse_alone(browser, address)
        found["window_switches"] = len(opened)
        found["copies"] = page.evaluate("Number(sessionStorage.copies ?? 0)")
        found["pastes"] = page.evaluate("Number(sessionStorage.pastes ?? 0)")
        found |= further_tags(page)
        found |= submissions(page)
        found |= first_loads(browser, page.url, cookies)
        browser.close()
    return found


def with_actions(counts: dict[str, int]) -> dict[str, int]:
    """The counts with their sum, to which typed characters do not belong."""
    return counts | {"actions": sum(count for name, count in counts.items() if name != "typed")}


def sign_in(page, name: str) -> None:
    page.goto("/account/login/")
    page.fill("[name=login]", name)
    page.fill("[name=password]", name)
    page.click("main button[type=submit]")


def to_next_tag(page) -> None:
    page.goto("/annotation/desk/")
    if page.locator("#desk-form").count() == 0:
        page.get_by_role("button", name="Next tag").click()


def mouse_alone(browser, address: str) -> dict[str, dict[str, int]]:
    """Play examples by another person, who uses the keyboard for texts only."""
    context = browser.new_context(base_url=address, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    sign_in(page, PEOPLE[1])
    counts = {}
    for example in BOTH_WAYS:
        to_next_tag(page)
        counts[example.title] = with_actions(play_with_mouse(page, example))
    context.close()
    return counts


def first_load(page) -> int:
    """Measure the first opening of a tag, with an empty cache."""
    counted = Bytes(page)
    page.goto("/annotation/desk/")
    page.get_by_role("button", name="Next tag").click()
    page.locator("#desk-form").wait_for()
    page.wait_for_load_state("networkidle")
    return counted.taken()


def first_loads(browser, desk: str, cookies: list) -> dict[str, object]:
    """Measure the time from the address of a tag in a 300 kB article to its first field and its article at the tag,
    each time in a browser with an empty cache, and the layout shift during loading (Chromium's).
    """
    times, shifts = [], []
    for _ in range(5):
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        context.add_init_script(WATCH)
        context.add_cookies(cookies)
        page = context.new_page()
        page.goto(desk)
        times.append(usable_ms(page, since="performance.timeOrigin"))
        page.wait_for_timeout(1000)
        shifts.append(page.evaluate("window.shift"))
        context.close()
    return figures("first_load_usable_ms", times) | {"first_load_layout_shift": round(max(shifts), 4)}


def further_tags(page) -> dict[str, object]:
    """Measure the time from a click on “Next tag” to a tag in a 300 kB article with a warm browser cache, several
    times.
    """
    from annotation.desk.assignments.assignment import hand_back
    from annotation.models import Annotation, Evidence

    times, sizes, articles = [], [], []
    for _ in range(9):
        at_hand = Annotation.objects.get(pk=page.url.rstrip("/").rpartition("/")[2])
        assert at_hand.annotator
        page.goto("/annotation/work/")
        hand_back(annotation=at_hand, annotator=at_hand.annotator)
        page.goto("/annotation/desk/")
        page.wait_for_load_state("networkidle")
        counted = Bytes(page)
        before = page.url
        page.get_by_role("button", name="Next tag").click()
        times.append(usable_ms(page, before))
        page.wait_for_timeout(600)
        evidence = page.locator("#panel-article .ev-text").get_attribute("data-evidence")
        html = Evidence.objects.get(pk=evidence).html
        articles.append(len(html))
        sizes.append(counted.taken() - len(gzip.compress(html.encode(), 6)))
    return {
        "article_html_bytes": max(articles),
        **figures("usable_ms", times),
        "load_average_meanwhile": round(os.getloadavg()[0], 1),
        "further_tag_bytes_without_article": max(sizes),
    }


def submissions(page) -> dict[str, object]:
    """Measure the time from Ctrl+Enter to the next tag, in another article of 300 kB, whose page was prepared
    meanwhile.
    """
    times = []
    for _ in range(5):
        page.locator("[name=wikitag_label_valid][value=Invalid]").check()
        with page.expect_response(lambda answer: answer.url.endswith("/ahead/")):
            page.locator("[name=valid_comment]").fill("Both years are the same.")
        page.wait_for_timeout(2000)
        before = page.url
        page.evaluate("window.leaveFrom(location.href)")
        page.keyboard.press("Control+Enter")
        times.append(usable_ms(page, before))
    return figures("submitted_to_usable_ms", times)


def main() -> None:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright keeps an event loop in this thread
    with laboratory(EVIDENCE_AHEAD="false") as folder:
        (wiki, titles), web = start_wiki(folder), web_server(folder, workers=1)
        try:
            fill(wiki.api_url, titles)
            web.start()
            print(json.dumps(measure(f"http://127.0.0.1:{web.port}")))
        finally:
            web.end()
            wiki.stop()


if __name__ == "__main__":
    main()
