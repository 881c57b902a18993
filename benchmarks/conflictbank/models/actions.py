"""The actions that the activity log of ConflictBank records: the stored value, and the words people read."""

from core.models import Action


class ConflictbankAction(Action):
    """Actions on facts, claims, their evidence and its checks."""

    IMPORTED_FACTS = "imported_facts", "imported facts"
    ASKED_FOR_CLAIMS = "asked_for_claims", "asked for claims"
    MADE_CLAIMS = "made_claims", "made claims"
    CHECKED = "checked_evidence", "checked evidence"
    STOPPED = "stopped_local_checks", "stopped checks by local models"
    TRAINS = "trains_conflict_classifier", "started training a classifier of conflicts"
    TOOK_DOWN = "took_conflict_down", "took a conflict down"
    OVERRULED = "overruled_checks", "overruled checks of evidence"
    CHANGED_SETTINGS = "changed_conflict_settings", "changed the settings of conflicts"
    CHANGED_TEMPLATE = "changed_relation_template", "changed the template of a relation"
