"""The pages of facts and claims in the navigation."""

from core.models import Role
from core.navigation import Group, NavItem

NAV_ITEMS = (
    NavItem(
        "Facts",
        "facts",
        Group.DATA,
        (Role.ADMIN,),
        "Facts of Wikidata, from which conflicting claims are made.",
        order=47,
        covers=("relation_templates",),
    ),
    NavItem(
        "Claims and evidence",
        "conflicts",
        Group.DATA,
        (Role.ADMIN,),
        "Claims that conflict with facts, their evidence and its checks. Made to mislead.",
        order=48,
        covers=("conflict_settings", "conflict_components"),
    ),
)
