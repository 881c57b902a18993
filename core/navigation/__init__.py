"""What the frame of every page offers each person: the navigation, and finding a page or a row by its name.

Each app registers what it has in `AppConfig.ready`, so the frame need not know the apps above this one.
"""

from .finding import MOST_FOUND, Finder, Found, found_for, found_row, numbered, register_finders
from .items import Group, NavItem, Now, Numbers, offers_for, register
from .menu import Menu, menu_for

__all__ = [
    "MOST_FOUND",
    "Finder",
    "Found",
    "Group",
    "Menu",
    "NavItem",
    "Now",
    "Numbers",
    "found_for",
    "found_row",
    "menu_for",
    "numbered",
    "offers_for",
    "register",
    "register_finders",
]
