"""Measures how well contradictions are found in documents of ContraDoc's shape without a tag.

    python -m speed.counterparts.untagged FILE

Takes the first candidate of each document, with and without a contradiction, and prints by the least score: documents
with a candidate, precision (first candidates with the inserted or replaced sentence, of all) and recall (of the
documents with a contradiction), and seconds for 100 documents.
"""

import argparse
import time
from pathlib import Path

from annotation.assisting.counterparts.pairs import FLOOR, pairs_in
from annotation.reading.sentences import sentences
from speed.counterparts.documents import letters, own_sentences, read_texts

SCORES = (0.0, 0.5, FLOOR, 0.7, 0.8, 0.9, 1.0)


def first_candidates(path: Path, kind: str) -> list[tuple[float, bool]]:
    """For each document of a kind, pos or neg: the score of its first candidate, and whether it is right."""
    found = []
    for _, text, evidence in read_texts(path, kind):
        texts = [span.of(text) for span in sentences(text)]
        own = own_sentences(texts, letters(evidence)) if evidence else []
        best = next(iter(pairs_in(texts)), None)
        found.append((best.score, best.one in own or best.two in own) if best else (-1.0, False))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    path = parser.parse_args().file
    begin = time.process_time()
    positive, negative = first_candidates(path, "pos"), first_candidates(path, "neg")
    seconds = time.process_time() - begin
    print(f"{len(positive)} documents with a contradiction, {len(negative)} without\nscore  found  precision  recall")
    for least in SCORES:
        shown = [is_right for score, is_right in positive + negative if score >= least]
        right = sum(shown)
        print(f"{least:5.2f}{len(shown):7}{right / max(len(shown), 1):11.2f}{right / len(positive):8.2f}")
    print(f"{100 * seconds / (len(positive) + len(negative)):.1f} s of CPU for 100 documents")


if __name__ == "__main__":
    main()
