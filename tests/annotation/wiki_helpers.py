"""What the tests of the wiki client share."""

from tests.mediawiki.content import MILESTONES

TITLES = [f"Milestone {number}" for number in range(1, MILESTONES + 1)]


class Pauses(list):
    """Stands in for sleeping: notes each pause, and may do something meanwhile."""

    def __init__(self, meanwhile=lambda: None):
        super().__init__()
        self.meanwhile = meanwhile

    def __call__(self, seconds):
        self.append(seconds)
        self.meanwhile()


def titles(batches):
    return [page.title for batch in batches for page in batch.pages]


def reasons(batches):
    return {page.title: page.reason for batch in batches for page in batch.missing}
