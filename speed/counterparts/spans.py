"""Measures the spans that are drafted for two passages, on records of WikiContradict's shape.

    python -m speed.counterparts.spans FILE

Prints, for records with annotated spans, how many get drafts of both spans, and how many of these are right: each is
part of the annotated span, has it as a part, or shares half of its words.
"""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

from annotation.assisting.drafts import QUESTION, SPANS, drafts_for


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def is_right(drafted: str, annotated: str) -> bool:
    one, other = plain(drafted), plain(annotated)
    words = set(one.split()), set(other.split())
    return one in other or other in one or len(words[0] & words[1]) >= min(map(len, words)) / 2


def counts(path: Path) -> dict[str, dict[str, int]]:
    """For explicit and implicit records: annotated, drafted and right spans, and drafted questions."""
    names = ("annotated", "drafted", "right", "questions")
    found: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(names, 0))
    for record in json.loads(path.read_text()):
        kept = record["annotationResult"]
        kept = kept[0] if isinstance(kept, list) else kept
        if not all(kept.get(name) for name in SPANS):
            continue
        content = defaultdict(str, {name: value for name, value in kept.items() if isinstance(value, str)})
        texts = drafts_for(content).texts
        is_explicit = kept.get("Contradict type IV", "").startswith("Explicit")
        kind = found["explicit" if is_explicit else "implicit"]
        kind["annotated"] += 1
        kind["drafted"] += bool(texts)
        kind["right"] += bool(texts) and all(is_right(texts[name], kept[name]) for name in SPANS)
        kind["questions"] += QUESTION in texts
    return dict(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    for kind, found in counts(parser.parse_args().file).items():
        print(f"{kind}: " + ", ".join(f"{count} {name}" for name, count in found.items()))


if __name__ == "__main__":
    main()
