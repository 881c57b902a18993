"""The pages of documents and candidates in the navigation."""

from core.models import Role
from core.navigation import Group, NavItem

NAV_ITEMS = (
    NavItem(
        "Documents",
        "documents",
        Group.DATA,
        (Role.ADMIN,),
        "Clean documents, into which models put contradictions.",
        order=45,
    ),
    NavItem(
        "Candidates",
        "candidates",
        Group.DATA,
        (Role.ADMIN,),
        "Documents with one edit each, their checks and people's decisions.",
        order=46,
        covers=("checks",),
    ),
)
