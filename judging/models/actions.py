"""The actions that the activity log of `judging` records: the stored value, and the words people read."""

from core.models import Action


class JudgingAction(Action):
    """Actions on models, prompts and runs."""

    ADDED = "added", "added"
    CHANGED = "changed", "changed"
    LIFTED_PAUSE = "lifted_pause", "lifted the pause of"
    MADE_TEST_CALL = "made_test_call", "made a test call"
    PLANNED = "planned", "planned"
    STARTED = "started", "started"
    PAUSED = "paused", "paused"
    RESUMED = "resumed", "resumed"
    CANCELLED = "cancelled", "cancelled"
    STOPPED = "stopped", "stopped at its budget"
    FINISHED = "finished", "finished"
    SET_BUDGET = "set_budget", "set the budget"
    RETRIED_FAILED = "retried_failed", "retried failed calls"
    RETRIED_UNREADABLE = "retried_unreadable", "requested unreadable verdicts again"
    REPEATED_IN_DOUBT = "repeated_in_doubt", "repeated calls in doubt"
    GAVE_UP_IN_DOUBT = "gave_up_in_doubt", "gave up calls in doubt"
    READ_RESPONSES = "read_responses", "read responses again"
    IMPORTED_RESPONSES = "imported_responses", "imported responses"
    IMPORTED_JUDGMENTS = "imported_judgments", "imported judgments"
