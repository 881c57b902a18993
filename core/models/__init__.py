from .actions import CoreAction
from .batches import Batch, VisibleManager, WrittenInBatches
from .events import Action, Event
from .people import Invitation, Role, User
from .project import Consensus, Project

__all__ = [
    "Action",
    "Batch",
    "Consensus",
    "CoreAction",
    "Event",
    "Invitation",
    "Project",
    "Role",
    "User",
    "VisibleManager",
    "WrittenInBatches",
]
