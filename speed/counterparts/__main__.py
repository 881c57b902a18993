"""Measures the finder of counterparts on documents of ContraDoc's shape.

    python -m speed.counterparts FILE

Given the inserted or replaced sentence, all others are ranked; a hit is one of the reference sentences. Prints the
share of documents with a hit among the first 1, 3, 5 and 10: by plain TF-IDF, by the stored weights, and by weights
fitted without the document's article, with what each feature adds, what is lost without each, and what those add that
were tried and are not in use; how often suggestions are right by their chance; and the time for 300 and for 5,000
sentences. Asserts nothing.
"""

import argparse
import math
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from annotation.assisting.counterparts.features import NAMES
from annotation.assisting.counterparts.ranking import FLOOR, FLOOR_OF_OTHERS, rank, weights
from speed.counterparts.documents import Document, read_documents
from speed.counterparts.training import RANKS, Table, ranks, share_within, stacked, tables, unseen_scores

TRIED = ("stems", "negation", "opposites")
FLOORS = (0.0, 0.1, 0.2, 0.3, 0.5)


def by_tfidf(document: Document) -> Table:
    """The cosine of TF-IDF vectors of words."""
    sets = [Counter(re.findall(r"\w+", text.lower())) for text in [*document.texts, document.query]]
    counts = Counter(word for each in sets for word in each)
    rare = {word: math.log((1 + len(sets)) / (1 + count)) + 1 for word, count in counts.items()}
    length = [math.sqrt(sum((count * rare[word]) ** 2 for word, count in each.items())) or 1 for each in sets]
    asked = sets[-1]
    dots = [sum(asked[word] * sets[at][word] * rare[word] ** 2 for word in asked) for at in document.positions]
    return np.array([dot / length[at] / length[-1] for dot, at in zip(dots, document.positions, strict=True)])


def line(name: str, found: Table) -> None:
    print(f"{name:34}" + "".join(f"{share:7.2f}" for share in share_within(found)))


def accuracy(documents: Sequence[Document]) -> list[Table]:
    """Print the tables of accuracy, and return the scores by weights that have not seen the article."""
    columns = tables(documents)
    print(f"{len(documents)} documents with a reference in the text\n{'hits among the first':34}", end="")
    print("".join(f"{rank:7}" for rank in RANKS))
    line("plain TF-IDF", ranks(documents, [by_tfidf(document) for document in documents]))
    stored = [table @ weights() for table in stacked(columns, NAMES)]
    line("stored weights (have seen these)", ranks(documents, stored))
    print("weights fitted without the article:")
    sets = {"+ " * (at > 0) + name: NAMES[: at + 1] for at, name in enumerate(NAMES)}
    sets |= {f"all without {name}": tuple(other for other in NAMES if other != name) for name in NAMES}
    sets |= {f"tried: all and {name}": (*NAMES, name) for name in TRIED}
    for words, names in sets.items():
        line(f"  {words}", ranks(documents, unseen_scores(documents, stacked(columns, names))))
    return unseen_scores(documents, stacked(columns, NAMES))


def calibration(documents: Sequence[Document], scores: Sequence[Table]) -> None:
    """Print how often suggestions from a chance on are right."""
    print(f"\nsuggested from a chance of (now {FLOOR}):  documents with one, first is right, one of three is right")
    for floor in FLOORS:
        first, three, shown = 0, 0, 0
        for document, score in zip(documents, scores, strict=True):
            chances = np.exp(score - score.max())
            chances /= chances.sum()
            best = [at for at in np.argsort(-chances, kind="stable")[:3] if chances[at] >= FLOOR_OF_OTHERS]
            if chances.max() < floor:
                continue
            shown += 1
            first += bool(document.is_hit[best[0]])
            three += bool(document.is_hit[best].any())
        said = f"{first / shown:8.2f}{three / shown:8.2f}" if shown else ""
        print(f"{floor:8.2f}{shown / len(documents):8.2f}{said}")


def speed(documents: Sequence[Document]) -> None:
    """Print the milliseconds that ranking takes, as the median of nine."""
    pool = [text for document in documents for text in document.texts]
    print()
    for count in (300, 5_000):
        texts = [f"{pool[at % len(pool)]} {at}" for at in range(count)]
        times = []
        for _ in range(9):
            begin = time.process_time()
            rank(texts[count // 2], texts, [count // 2], reason="The year differs.")
            times.append(time.process_time() - begin)
        print(f"{count} sentences: {sorted(times)[4] * 1000:.1f} ms of CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    documents = read_documents(parser.parse_args().file)
    found = [document for document in documents if document.is_hit.any()]
    print(f"{len(documents)} documents, ", end="")
    calibration(found, accuracy(found))
    speed(found)


if __name__ == "__main__":
    main()
