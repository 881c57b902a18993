"""The events of this app for webhooks."""

from core.languages import say
from core.models import HookEvent

ANNOTATION_RETURNED = HookEvent("annotation.returned", say("A reviewer returned an annotation"))
RELEASE_MADE = HookEvent("release.made", say("A release was made"))
HOOK_EVENTS = (ANNOTATION_RETURNED, RELEASE_MADE)
