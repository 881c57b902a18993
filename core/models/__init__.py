from .actions import CoreAction
from .batches import Batch, VisibleManager, WrittenInBatches
from .events import Action, Event
from .people import Invitation, Role, User
from .project import Consensus, Project
from .tokens import AccessToken, KeptAnswer

__all__ = [
    "AccessToken",
    "Action",
    "Batch",
    "Consensus",
    "CoreAction",
    "Event",
    "Invitation",
    "KeptAnswer",
    "Project",
    "Role",
    "User",
    "VisibleManager",
    "WrittenInBatches",
]
