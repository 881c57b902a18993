from .batches import Batch, VisibleManager, WrittenInBatches
from .events import Event
from .people import Invitation, Role, User
from .project import Project

__all__ = ["Batch", "Event", "Invitation", "Project", "Role", "User", "VisibleManager", "WrittenInBatches"]
