"""The actions that the activity log of `core` records: the stored value, and the words people read."""

from .events import Action


class CoreAction(Action):
    """Actions on accounts and settings."""

    CHANGED_SETTINGS = "changed_settings", "changed the settings"
    INVITED = "invited", "invited"
    WITHDREW = "withdrew", "withdrew"
    JOINED = "joined", "joined"
    MADE_PASSWORD_LINK = "made_password_link", "made a password link"
    CHOSE_PASSWORD = "chose_password", "chose a new password"
    ENTERED_WRONG_PASSWORD = "entered_wrong_password", "was not signed in: wrong password"
    WAS_REFUSED_SIGN_IN = "was_refused_sign_in", "was refused sign-in after too many wrong passwords"
    ENTERED_WRONG_CODE = "entered_wrong_code", "was not signed in: wrong code"
    SIGNED_IN = "signed_in", "signed in"
    ADDED_SECOND_FACTOR = "added_second_factor", "added a second factor"
    REMOVED_SECOND_FACTOR = "removed_second_factor", "removed a second factor"
    ENDED_SESSION = "ended_session", "ended a session"
    SIGNED_OUT_EVERYWHERE = "signed_out_everywhere", "signed out everywhere"
    EXPORTED = "exported", "exported"
    SET_ROLES = "set_roles", "set roles"
    CLOSED_ACCOUNT = "closed_account", "closed the account"
    OPENED_ACCOUNT = "opened_account", "reopened the account"
    RENAMED = "renamed", "renamed"
    MADE_TOKEN = "made_token", "created an API token"
    REVOKED_TOKEN = "revoked_token", "revoked a token"
    ADDED_WEBHOOK = "added_webhook", "added a webhook"
    CHANGED_WEBHOOK = "changed_webhook", "changed a webhook"
    MADE_SECRET = "made_secret", "created a new secret for a webhook"
    SENT_AGAIN = "sent_again", "had a message sent again"
