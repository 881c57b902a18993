"""The files of a published site, one after the other: name and content. Only one page of instances is in memory."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from annotation.models import Release
from annotation.releases.files.formats import FileFormat
from annotation.releases.files.writing import file_name, release_formats
from core.engine.writing.pieces import snapshot
from core.languages.texts import ENGLISH
from core.outside import web_address
from judging.models.language_models import default_decoding

from ..kinds.presentation import Category
from .citing import citation
from .entries import presentation_of
from .instances import LISTED_ON_A_PAGE, Card, cards, counts_of, on_a_page
from .results import Result, results_of

SiteFile = tuple[str, Iterable[str]]
# Pico, what every page of the workbench has, and what the site adds: one file.
STYLE = ("vendor/pico-2.1.1.min.css", "app.css", "judging.css", "site.css")

# Control characters and noncharacters: HTML must have none, downloads keep them.
NOT_IN_HTML = re.compile(
    "[\x01-\x08\x0b\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
    + "]"
)


@dataclass
class Download:
    """A file to download. Its size and its SHA-256 are known after its content was read."""

    name: str
    about: str
    size: int = 0
    digest: str = ""

    def passing(self, chunks: Iterable[str]) -> Iterator[str]:
        """The same content, measured as it is read."""
        digest = hashlib.sha256()
        for chunk in chunks:
            content = chunk.encode()
            self.size += len(content)
            digest.update(content)
            yield chunk
        self.digest = digest.hexdigest()


class Site:
    """The site of a release. `authors` and `url` are for its citation; people send their models' answers to
    `contact`, an address or any words.
    """

    def __init__(self, release: Release, *, authors: str = "", url: str = "", contact: str = ""):
        self.release, self.contact = release, contact
        self.kind = presentation_of(release.benchmark)
        self.forms = [each for each in release_formats(release.benchmark).values() if isinstance(each, FileFormat)]
        self.file_name = f"{release.benchmark}-release-{release.number}"
        self.downloads: list[Download] = []
        self.citation = citation(
            title=release.name,
            number=release.number,
            year=release.created_at.year,
            content_hash=release.content_hash,
            authors=authors,
            url=url,
        )

    @property
    def contact_address(self) -> str:
        """The address of the contact's link; "" if it is not an address."""
        if "@" in self.contact and not any(character in self.contact for character in " :/?&"):
            return f"mailto:{self.contact}"
        return web_address(self.contact)

    @cached_property
    def results(self) -> list[Result]:
        with snapshot():  # so that no two tables count different verdicts
            return list(results_of(self.release))

    @cached_property
    def counts(self) -> Counter[Category]:
        return counts_of(self.release)

    @cached_property
    def instances(self) -> int:
        return self.release.released_instances.count()

    @property
    def pages(self) -> int:
        """The number of pages of instances."""
        return -(-self.instances // on_a_page(self.kind))

    def length(self) -> int:
        """The total number of files."""
        listed = sum(pages_of(count) for count in self.counts.values())
        # Style, script, icon; files of the release, prompts, checksums; front page, the pages of instances, results,
        # downloads, datasheet, submitting; .nojekyll.
        fixed = 3 + len(self.forms) + 2 + 6 + 1
        return fixed + 2 * len(self.results) + self.pages + listed

    # --- The files ------------------------------------------------------------------------------------------------

    def files(self) -> Iterator[SiteFile]:
        """All files by their names in the folder. Write each before requesting the next: the checksums are computed
        as they are read.
        """
        yield from self._assets()
        yield from self._downloads()
        yield from self._results()
        yield from self._instances()
        yield from self._front()
        yield "downloads/SHA256SUMS", [f"{file.digest}  {file.name}\n" for file in self.downloads]
        yield ".nojekyll", [""]  # GitHub Pages then serves the files as they are

    def _assets(self) -> Iterator[SiteFile]:
        folder = settings.BASE_DIR / "static"
        yield "assets/style.css", (_text(folder / name) for name in STYLE)
        yield "assets/filter.js", [_text(folder / "scripts/site/filter.js")]
        yield "assets/icon.svg", [_text(folder / "icon.svg")]

    def _downloads(self) -> Iterator[SiteFile]:
        for each in self.forms:
            yield self._download(file_name(self.release, each), each.words, each.chunks(self.release))
        prompts = json.dumps(self.kind.prompts(self.release.benchmark), ensure_ascii=False, indent=2) + "\n"
        yield self._download("prompts.json", self.kind.prompts_are, [prompts])
        for result in self.results:
            yield self._download(f"{result.name}.csv", result.label, [result.csv()])

    def _download(self, name: str, about: str, chunks: Iterable[str]) -> SiteFile:
        file = Download(name, about)
        self.downloads.append(file)
        return f"downloads/{name}", file.passing(chunks)

    def _results(self) -> Iterator[SiteFile]:
        for result in self.results:
            yield self._page(f"results/{result.name}.html", "result.html", result=result)
        yield self._page("results/index.html", "results.html")

    def _instances(self) -> Iterator[SiteFile]:
        lists = _Lists(self.counts)
        for page, shown in enumerate(cards(self.release), start=1):
            last = shown[-1].number
            yield self._page(f"instances/{page}.html", "instances.html", cards=shown, page=page, last=last)
            for card in shown:
                for values in lists.add(card):
                    yield self._listed(values)
        for values in lists.rest():
            yield self._listed(values)
        there = [(category, self.counts[category]) for category in self.kind.ordered(self.counts)]
        groups = [(group, list(rows)) for group, rows in groupby(there, key=lambda pair: pair[0].group)]
        yield self._page("instances/index.html", "categories.html", groups=groups)

    def _listed(self, values: dict[str, Any]) -> SiteFile:
        category: Category = values["category"]
        name = f"instances/{category.address(values['page'])}"
        return self._page(name, "category.html", name=f"{category.name}-", **values)

    def _front(self) -> Iterator[SiteFile]:
        sections = self.kind.sheet(self.release)
        example = next(cards(self.release, first=1), [None])[0]
        counts = self.kind.counts(self.release)
        yield self._page("index.html", "front.html", counts=counts, example=example)
        yield self._page("datasheet.html", "datasheet.html", sections=sections)
        line = {"question_ID": 1, "release": self.release.number, "model": "Your model"}
        line |= {"template": self.kind.template or "…", "text": "…"}
        words = json.dumps(line, ensure_ascii=False)
        yield self._page("submit.html", "submit.html", line=words, decoding=default_decoding())
        yield self._page("downloads/index.html", "downloads.html")

    def _page(self, name: str, template: str, /, **context: object) -> SiteFile:
        folder = name.rpartition("/")[0]
        here = folder or name.removesuffix(".html")
        context |= {"site": self, "root": "../" if folder else "", "here": here}
        # In English, whoever asks for it.
        with translation.override(ENGLISH):
            page = render_to_string(f"review/site/{template}", context)
        return name, [NOT_IN_HTML.sub("\N{REPLACEMENT CHARACTER}", page)]


def pages_of(count: int) -> int:
    """The number of pages of a list of this length."""
    return -(-count // LISTED_ON_A_PAGE)


class _Lists:
    """The lists of all categories while they are being filled: a page is returned as soon as it is full."""

    def __init__(self, counts: Counter[Category]):
        self._counts = counts
        self._rows: dict[Category, list[tuple[str, str, str]]] = defaultdict(list)
        self._page: Counter[Category] = Counter()

    def add(self, card: Card) -> Iterator[dict[str, Any]]:
        for category in card.categories:
            rows = self._rows[category]
            rows.append((card.shown.title, card.shown.beside, card.address))
            if len(rows) == LISTED_ON_A_PAGE:
                yield self._hand_out(category)

    def rest(self) -> Iterator[dict[str, object]]:
        for category in list(self._rows):
            yield self._hand_out(category)

    def _hand_out(self, category: Category) -> dict[str, object]:
        self._page[category] += 1
        pages = pages_of(self._counts[category])
        return {
            "category": category,
            "rows": self._rows.pop(category),
            "page": self._page[category],
            "pages": pages,
        }


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
