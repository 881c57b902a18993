"""The pages of facts and claims in the navigation."""

from core.languages import say
from core.models import Role
from core.navigation import Group, NavItem

NAV_ITEMS = (
    NavItem(
        say("Facts"),
        "facts",
        Group.DATA,
        (Role.ADMIN,),
        say("Facts of Wikidata, from which conflicting claims are made."),
        order=47,
        covers=("relation_templates",),
    ),
    NavItem(
        say("Claims and evidence"),
        "conflicts",
        Group.DATA,
        (Role.ADMIN,),
        say("Claims that conflict with facts, their evidence and its checks. Made to mislead."),
        order=48,
        covers=("conflict_settings", "conflict_components"),
    ),
)
