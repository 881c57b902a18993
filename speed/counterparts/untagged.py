"""Measures how well contradictions are found in documents of ContraDoc's shape without a tag.

    python -m speed.counterparts.untagged FILE

Takes the first candidate of each document, with and without a contradiction, and prints by the least score: documents
with a candidate, precision (first candidates with the inserted or replaced sentence, of all) and recall (of the
documents with a contradiction), and seconds for 100 documents. Below it, with "yes" for a document with a candidate,
the numbers of Tables 2 and 4 of ContraDoc's paper, whose models read all 891 documents. Half of these have a
contradiction, so our precision is weighted as if half of the file's had. Then, as below a banner, which says that
there is a contradiction: the share of documents whose pair of inserted and reference sentence is among the first 1,
3, 5 and 10.
"""

import argparse
import json
import time
from pathlib import Path

from annotation.assisting.counterparts.pairs import FLOOR, pairs_in, tagged_pairs
from annotation.reading.sentences import sentences
from speed.counterparts.documents import Document, letters, own_sentences, read_documents, read_texts
from speed.counterparts.training import RANKS

PRINTED = Path(__file__).parents[2] / "benchmarks/contradoc/reports/printed.json"
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


def beside_the_paper(positive: list[tuple[float, bool]], negative: list[tuple[float, bool]]) -> None:
    """Print precision and recall of "yes", and the share of positive documents with a yes and the right sentence."""
    printed = json.loads(PRINTED.read_text("utf-8"))
    print(f"\nyes for a document   precision  recall  right sentence ({printed['source']})")
    for least in (0.0, FLOOR, 1.0):
        says_yes = [[right for score, right in documents if score >= least] for documents in (positive, negative)]
        recall, wrong = len(says_yes[0]) / len(positive), len(says_yes[1]) / len(negative)
        numbers = recall / (recall + wrong), recall, sum(says_yes[0]) / len(positive)
        print(f"this program, {least:<8.1f}" + "".join(f"{100 * number:8.1f}" for number in numbers))
    for name in ("table2", "table4"):
        for model, cells in printed[name]["rows"].items():
            where = f"{model}, {printed[name]['where']}"
            evidence = f"{cells['R-acc']:8.1f}" if "R-acc" in cells else ""
            print(f"{where:<22}{cells['precision']:8.1f}{cells['recall']:8.1f}{evidence}")
        for slip in printed[name]["slips"]:
            print(f"  {slip}")
    print()


def rank_below_a_banner(document: Document) -> float:
    """The rank of the first pair of the document's sentence and a reference, from 1; infinite without one."""
    is_hit = dict(zip(document.positions, document.is_hit, strict=True))
    for rank, pair in enumerate(tagged_pairs(document.texts), start=1):
        if any(one in document.at and is_hit.get(two) for one, two in ((pair.one, pair.two), (pair.two, pair.one))):
            return rank
    return float("inf")


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
    beside_the_paper(positive, negative)
    tagged = [document for document in read_documents(path) if document.is_hit.any()]
    begin = time.process_time()
    found = [rank_below_a_banner(document) for document in tagged]
    seconds = time.process_time() - begin
    print(f"below a banner, {len(tagged)} documents: ", end="")
    print(", ".join(f"{sum(one <= rank for one in found) / len(found):.2f} among the first {rank}" for rank in RANKS))
    print(f"{1000 * seconds / len(tagged):.0f} ms of CPU for a document")


if __name__ == "__main__":
    main()
