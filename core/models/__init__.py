from .actions import CoreAction
from .batches import Batch, VisibleManager, WrittenInBatches
from .events import Action, Event
from .people import Invitation, Role, User
from .project import Project

__all__ = [
    "Action",
    "Batch",
    "CoreAction",
    "Event",
    "Invitation",
    "Project",
    "Role",
    "User",
    "VisibleManager",
    "WrittenInBatches",
]
