"""The pages of documents and candidates in the navigation."""

from core.languages import say
from core.models import Role
from core.navigation import Group, NavItem

NAV_ITEMS = (
    NavItem(
        say("Documents"),
        "documents",
        Group.DATA,
        (Role.ADMIN,),
        say("Clean documents, into which models put contradictions."),
        order=45,
    ),
    NavItem(
        say("Candidates"),
        "candidates",
        Group.DATA,
        (Role.ADMIN,),
        say("Documents with one edit each, their checks and people's decisions."),
        order=46,
        covers=("checks",),
    ),
)
