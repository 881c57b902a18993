"""The published site of a release of facts."""

from review.kinds.presentation import Presentation


def presentation() -> Presentation:
    return Presentation(motivation=("Facts, to measure what models believe.",), each_is="Each is a fact.")
