"""The frame of every page: the navigation, and finding a page or a row by its name.

Each app registers its entries in `AppConfig.ready`, so the frame need not know the apps above this one.
"""

from ..engine.counted import counted
from .finding import (
    MOST_FOUND,
    Command,
    Finder,
    Found,
    found_for,
    found_row,
    numbered,
    register_commands,
    register_finders,
)
from .items import Group, NavItem, Now, Numbers, register
from .menu import Menu
from .pipeline import Need, Stage, register_stages
from .sections import Section, has_later, register_sections, sections_for
from .tours import Stop, Tour, register_tours, tour_called, tour_of
