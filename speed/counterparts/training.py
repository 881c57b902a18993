"""Finds the weights of the finder's features, and measures them on unseen documents.

    python -m speed.counterparts.training FILE

writes `annotation/assisting/counterparts/weights.json` from the documents in a file of ContraDoc's shape. Of each
document, the weights make the references likely among all its sentences (a softmax over them), and a penalty on large
weights keeps them from learning single documents by heart.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from annotation.assisting.counterparts import features as known
from annotation.assisting.counterparts import ranking, words
from annotation.assisting.counterparts.words import stems_of
from speed.counterparts.documents import Document, read_documents

PENALTY = 1.0
WEIGHTS = Path(ranking.__file__).with_name("weights.json")
RANKS = (1, 3, 5, 10)

Table = np.ndarray


def tables(documents: Sequence[Document]) -> dict[str, list[Table]]:
    """The features of each document, by name: those in use, and those that were tried."""
    found: dict[str, list[Table]] = {}
    for document in documents:
        for name, column in _columns(document).items():
            found.setdefault(name, []).append(column)
    return found


def _columns(document: Document) -> dict[str, Table]:
    positions = document.positions
    used = known.features(document.query_words, document.words, positions, document.at)
    columns = {name: used[:, at] for at, name in enumerate(known.NAMES)}
    share = columns["beginnings"]
    query_stems, denies = stems_of(document.query), words.denies(document.query)
    stems = [stems_of(text) for text in document.texts]
    return columns | {
        "stems": known.shares(query_stems, stems, positions),
        "negation": share * [denies != words.denies(document.texts[position]) for position in positions],
        "opposites": share * [bool(known.opposed(query_stems, stems[position])) for position in positions],
    }


def fit(features: Sequence[Table], hits: Sequence[Table]) -> Table:
    """The weights that make the hits of all documents likeliest, less `PENALTY` for their size.

    `features` are rows of numbers in comparable units, one table for each document.
    """

    def loss(weights: Table) -> tuple[float, Table]:
        total, slope = PENALTY * float(weights @ weights) / 2, PENALTY * weights
        for rows, is_hit in zip(features, hits, strict=True):
            scores = rows @ weights
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            right = chances[is_hit]
            total -= np.log(right.sum())
            slope = slope + rows.T @ chances - rows[is_hit].T @ (right / right.sum())
        return total, slope

    return minimize(loss, np.zeros(features[0].shape[1]), jac=True, method="L-BFGS-B").x


def unseen_scores(documents: Sequence[Document], features: Sequence[Table]) -> list[Table]:
    """The scores of each document's sentences by weights, and units of features, that come from documents of other
    articles alone.
    """
    scores: list[Table] = [np.zeros(0)] * len(documents)
    for article in sorted({document.article for document in documents}):
        others = [at for at, document in enumerate(documents) if document.article != article]
        scaled, spread = _scaled([features[at] for at in others])
        weights = fit(scaled, [documents[at].is_hit for at in others]) / spread
        for at, document in enumerate(documents):
            if document.article == article:
                scores[at] = features[at] @ weights
    return scores


def ranks(documents: Sequence[Document], scores: Sequence[Table]) -> Table:
    """The rank of the best reference of each document, from 1; among equals the last."""
    pairs = zip(documents, scores, strict=True)
    return np.array([1 + (score[~one.is_hit] >= score[one.is_hit].max()).sum() for one, score in pairs])


def share_within(found: Table) -> list[float]:
    """The share of documents whose best reference is within each of `RANKS`."""
    return [float((found <= rank).mean()) for rank in RANKS]


def stacked(columns: dict[str, list[Table]], names: Sequence[str]) -> list[Table]:
    """The features of these names, as one table for each document."""
    return [np.stack(parts, axis=1) for parts in zip(*(columns[name] for name in names), strict=True)]


def _scaled(features: Sequence[Table]) -> tuple[list[Table], Table]:
    """The features divided by their standard deviations, so that the penalty treats them alike, and the divisors."""
    spread = np.vstack(features).std(axis=0) + 1e-9
    return [table / spread for table in features], spread


def fitted(documents: Sequence[Document]) -> Table:
    """The weights of the features in use, fitted on all these documents."""
    scaled, spread = _scaled(stacked(tables(documents), known.NAMES))
    return fit(scaled, [document.is_hit for document in documents]) / spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    path = parser.parse_args().file
    documents = [document for document in read_documents(path) if document.is_hit.any()]
    weights = fitted(documents)
    stored = {
        "made_by": "python -m speed.counterparts.training",
        "from": f"{len(documents)} documents with known counterparts",
        "weights": {name: round(float(weight), 4) for name, weight in zip(known.NAMES, weights, strict=True)},
    }
    WEIGHTS.write_text(json.dumps(stored, indent=1) + "\n")
    print(f"{WEIGHTS}: {stored['weights']}")


if __name__ == "__main__":
    main()
