"""The content of the test wiki: stand-ins for the contradiction templates, a few articles, and many that are
alike."""

from collections.abc import Iterator
from pathlib import Path

from tests.mediawiki.dumpfile import Page, read_pages

HERE = Path(__file__).parent
ARTICLES = HERE / "articles"
TEMPLATES = HERE / "templates"

# Spellings of each family's templates that redirect to the first.
SPELLINGS = {
    "Inconsistent": ["Inconsistency", "Inconsistent inline", "Inconsistent-inline", "Internally inconsistent"],
    "Contradictory inline": ["Contradict inline", "Contradict-inline", "Contradiction-inline", "Contradicts-inline"],
    "Self-contradictory": ["Contradict", "Contradiction", "Contradictory", "Self-contradict", "Self contradictory"],
    "Contradicts other": ["Contradict-other", "Contradict other", "Contradicts-other", "Contradicts others"],
}
MONTHS = ["July 2022", "May 2023", "June 2024"]
MILESTONES = 120


def templates() -> Iterator[Page]:
    yield from read_pages(TEMPLATES)
    for name, others in SPELLINGS.items():
        for other in others:
            yield Page.of(f"Template:{other}", f"#REDIRECT [[Template:{name}]]")
    for month in MONTHS:
        for name in ("Self-contradictory articles", "Articles contradicting other articles"):
            yield Page.of(f"Category:{name} from {month}", f"[[Category:{name}]]")


def milestones() -> Iterator[Page]:
    """Enough articles with a tag to need several requests; every third uses another spelling."""
    spellings = ["Inconsistent", "Internally inconsistent", "Contradict-inline"]
    for number in range(1, MILESTONES + 1):
        tag = f"{{{{{spellings[number % 3]}|date={MONTHS[number % 2]}}}}}"
        text = f"'''Milestone {number}''' was set in 17{number % 90 + 10}.{tag} It was moved in 1698."
        yield Page.of(f"Milestone {number}", text)


def all_pages() -> Iterator[Page]:
    yield from templates()
    yield from read_pages(ARTICLES)
    yield from milestones()
