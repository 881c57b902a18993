"""Compares the tags that two versions of the code find in thousands of texts.

    python -m speed.large.same_tags tags.jsonl    # writes texts and tags, as the file does not exist
    python -m speed.large.same_tags tags.jsonl    # after a change: finds the tags of these texts again, and compares

The texts: articles and wikitext of the tests and samples, what `--also` names (wikitext, XML dumps, JSON of the
paper), generated articles, and copies in which markup was added, cut out or moved.
"""

import argparse
import ast
import html
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from annotation.wikitext.extraction import packed_tags

from .dumps import pages

ROOT = Path(__file__).parents[2]
TEXT = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)
SHORT = 8_000  # characters
MARKUP = [
    "{{",
    "}}",
    "[[",
    "]]",
    "|",
    "=",
    "{{{",
    "}}}",
    "{{!}}",
    "{{Inconsistent|date=May 2024}}",
    "{{Contradict-other|A}}",
    "{{Infobox x|a=",
    "{{Self-contradictory}}",
    "<ref>",
    "</ref>",
    "<!--",
    "-->",
    "<nowiki>",
    "</nowiki>",
    "<poem>",
    "</poem>",
    "<includeonly>",
    "</includeonly>",
    "<onlyinclude>",
    "<references>",
    "<math>",
    "</math>",
    "<table>",
    "<tr><td>",
    "</table>",
    "<br>",
    "''",
    "[[File:a.jpg|thumb|",
    "{{cite web|url=http://a}}",
    "[http://x y]",
    "&nbsp;",
    "==",
]
LINES = [
    "\n",
    "\n\n",
    "{|\n",
    "\n|}",
    "\n|-\n",
    "\n| ",
    "\n== H ==\n",
    "\n*",
    "\n#",
    "<gallery>\n",
    "\n</gallery>",
    "\t",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="folders or files with more texts")
    parser.add_argument("--changed", type=int, default=6_000, help="number of changed copies (%(default)s)")
    chosen = parser.parse_args()
    if chosen.file.exists():
        compare(chosen.file)
    else:
        write(chosen.file, chosen.also, chosen.changed)


def write(path: Path, also: list[Path], changed: int) -> None:
    with path.open("w") as file:
        file.writelines(f"{json.dumps([text, tags_of(text)])}\n" for text in texts(also, changed))
    print(f"{path} is written")


def compare(path: Path) -> None:
    with path.open() as file:
        lines = [json.loads(line) for line in file]
    different = [text for text, before in lines if before != json.loads(json.dumps(tags_of(text)))]
    found = sum(len(tags["tags"]) for _, tags in lines)
    print(f"{len(lines):,} texts, {found:,} tags, {len(different)} texts with other tags than before")
    for text in different[:3]:
        print(repr(text[:2_000]))


def tags_of(text: str) -> dict:
    try:
        return packed_tags(text, None)
    except RecursionError as error:
        return {"tags": [repr(error)]}


def texts(also: list[Path], changed: int) -> Iterator[str]:
    drawn = random.Random(5)
    found = list(
        dict.fromkeys(text for source in (ROOT / "tests", ROOT / "annotation", *also) for text in read(source))
    )
    yield from found
    yield from (page.revisions[0].text for page in pages(400, 1.0))
    short = [text for text in found if len(text) < SHORT]
    for _ in range(changed):
        yield changed_copy("\n\n".join(drawn.choices(short, k=drawn.choice((1, 1, 2, 8)))), drawn)


def read(source: Path) -> Iterator[str]:
    for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
        if path.suffix == ".wikitext":
            yield path.read_text()
        elif path.suffix == ".xml":
            yield from map(html.unescape, TEXT.findall(path.read_text()))
        elif path.suffix == ".json":
            yield from (text for text in strings(json.loads(path.read_text())) if "{{" in text)
        elif path.suffix == ".py":
            nodes = ast.walk(ast.parse(path.read_text()))
            yield from (text for node in nodes if "{{" in (text := str(getattr(node, "value", ""))))


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def changed_copy(text: str, drawn: random.Random) -> str:
    for _ in range(drawn.randint(1, 6)):
        kind, at = drawn.random(), drawn.randint(0, len(text))
        if kind < 0.5:
            text = text[:at] + drawn.choice([*MARKUP, *LINES]) + text[at:]
        elif kind < 0.75:
            text = text[:at] + text[at + drawn.randint(1, 12) :]
        else:
            part, to = text[at : at + drawn.randint(1, 400)], drawn.randint(0, len(text))
            text = text[:to] + part + text[to:]
    return text


if __name__ == "__main__":
    main()
