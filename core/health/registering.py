"""The checks of this app, in the order of the page."""

from ..languages import say
from ..models import Role
from ..navigation import Group, NavItem
from ..navigation import register as register_nav_items
from .checks import register
from .ready import PARTS
from .sums import sums_finding
from .upkeep import backup_findings, mail_findings, setting_findings


def register_checks() -> None:
    for order, (name, check) in enumerate(PARTS):
        register(name, check, order=order)
    register(say("Sums"), sums_finding, order=60)
    register(say("Backup"), backup_findings, order=70)
    register(say("Settings"), setting_findings, order=80)
    register(say("Mail"), mail_findings, order=90, is_far=True)
    register_nav_items(
        NavItem(
            say("Now"),
            "now",
            Group.PROJECT,
            (Role.ADMIN,),
            say("What is happening on this site at this moment: people at work, runs, queues, workers."),
            order=39,
        ),
        NavItem(
            say("System"),
            "doctor",
            Group.PROJECT,
            (Role.ADMIN,),
            say("The parts of this site, whether they work, and what to do if one does not."),
            order=40,
        ),
    )
