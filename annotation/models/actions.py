"""The actions that the activity log of `annotation` records: the stored value, and the words people read."""

from core.models import Action


class AnnotationAction(Action):
    """Actions on wikis, harvests, tags, annotations and releases."""

    ALLOWED = "allowed", "allowed"
    DISALLOWED = "disallowed", "disallowed"
    REQUESTED = "requested", "requested"
    DONE = "done", "finished"
    FAILED = "failed", "could not finish"
    CANCELLED = "cancelled", "cancelled"
    RESUMED = "resumed", "resumed"

    # Tags:
    FOUND = "found", "found"
    FOLLOWED = "followed", "followed to a newer revision"
    KEPT = "kept", "kept the earlier text"
    MARKED_GONE = "marked_gone", "marked gone"
    CAME_BACK = "came_back", "found again"
    WATCHED = "watched", "watched"
    ASKED_FOR_ARTICLE = "asked_for_article", "asked for an article"
    PRIORITISED = "prioritised", "prioritised"
    CHANGED_TAGS = "changed_tags", "changed tags"
    UNDID = "undid", "undid a change"
    SET_NEEDED = "set_needed", "set how many annotations it needs"

    # Candidates:
    SENT_TO_QUEUE = "sent_to_queue", "sent to the queue"
    DISMISSED = "dismissed", "dismissed"
    RECONSIDERED_CANDIDATE = "reconsidered_candidate", "took back the decision"

    # People:
    SET_QUOTA = "set_quota", "set the quota of annotations"
    SET_REVIEW_SHARE = "set_review_share", "set the share of annotations that are reviewed"

    # Assignments:
    ASSIGNED = "assigned", "assigned"
    UNASSIGNED = "unassigned", "unassigned"
    CLAIMED = "claimed", "claimed"
    HANDED_BACK = "handed_back", "handed back"
    SKIPPED = "skipped", "skipped"
    TOOK_BACK_SKIP = "took_back_skip", "took back a skip"
    FLAGGED = "flagged", "flagged"
    TOOK_OFF_FLAG = "took_off_flag", "removed the flag"

    # Annotations:
    SUBMITTED = "submitted", "submitted"
    TOOK_BACK = "took_back", "took back"
    ACCEPTED = "accepted", "accepted"
    ACCEPTED_WITHOUT_REVIEW = "accepted_without_review", "accepted without review"
    RETURNED = "returned", "returned"
    EXCLUDED = "excluded", "excluded"
    MERGED = "merged", "merged"
    RECONSIDERED = "reconsidered", "reconsidered"
    IMPORTED = "imported", "imported"

    # Comments on them:
    COMMENTED = "commented", "commented"
    REPLIED = "replied", "replied"
    RESOLVED = "resolved", "resolved"
    REOPENED = "reopened", "reopened"
    ASKED = "asked", "asked"
    ANSWERED = "answered", "answered"
    WENT_ON = "went_on", "continued without an answer"
    SUGGESTED_EDIT = "suggested_edit", "suggested an edit"
    WITHDREW_EDIT = "withdrew_edit", "withdrew a suggested edit"
    TOOK_EDIT = "took_edit", "took a suggested edit"
    DECLINED_EDIT = "declined_edit", "declined a suggested edit"

    # Practice runs:
    BEGAN_PRACTICE = "began_practice", "began a practice tag"
    FINISHED_PRACTICE = "finished_practice", "finished a practice tag"
    CHOSE_FOR_PRACTICE = "chose_for_practice", "chose for practice"
    EXPLAINED_PRACTICE = "explained_practice", "explained a practice tag"
    MOVED_PRACTICE = "moved_practice", "moved a practice tag"
    OFFERED_PRACTICE = "offered_practice", "changed its use for practice"

    # Tags with known answers, hidden among the others:
    MIXED_IN = "mixed_in", "mixed into the queue"
    TOOK_OUT = "took_out", "took out of the queue"

    # The guideline:
    PUBLISHED_GUIDELINE = "published_guideline", "published a version of the guideline"

    # Releases:
    RELEASED = "released", "released"
