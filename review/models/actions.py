"""The actions that the activity log of `review` records: the stored value, and the words people read."""

from core.models import Action


class ReviewAction(Action):
    """Actions on rounds, judgments, adjudications and known verdicts."""

    BEGAN_ROUND = "began_round", "began a round"
    SET_DEADLINE = "set_deadline", "set the deadline"
    CLOSED = "closed", "closed"
    OPENED_AGAIN = "opened_again", "reopened"
    OPENED_ACCESS = "opened_access", "gave access to an account while judging here"

    # Reviewers:
    JOINED = "joined", "joined"
    PAUSED = "paused", "paused"
    RESUMED = "resumed", "resumed"
    SKIPPED_TRAINING = "skipped_training", "skipped the training set"
    HANDED_OVER = "handed_over", "handed over responses"
    WITHDREW_OPEN = "withdrew_open", "withdrew open responses"
    HANDED_BACK_SEEN = "handed_back_seen", "handed back slots after seeing their judgments"
    TOOK_OVER = "took_over", "took over a response left open"

    # Judgments:
    # The code that logs and their readers know.
    SUBMITTED = "handed_in", "submitted judgments"
    TOOK_BACK_JUDGMENT = "took_back_judgment", "took back a judgment"
    RESET = "reset", "reset a judgment"
    IMPORTED_JUDGMENTS = "imported_judgments", "imported judgments"

    # Verdicts:
    ADJUDICATED = "adjudicated", "adjudicated"
    REOPENED = "reopened", "reopened"
    SET_ASIDE = "set_aside", "set aside"
    TOOK_BACK_IN = "took_back_in", "put back"
    ADDED_KNOWN = "added_known", "added a known verdict"
    WITHDREW_KNOWN = "withdrew_known", "withdrew a known verdict"
