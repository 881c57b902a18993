from .actions import CoreAction
from .approvals import Approval, ApprovedAct
from .background import BackgroundWork, WorkState
from .batches import Batch, VisibleManager, WrittenInBatches
from .events import Action, Event, Seal
from .folders import DataFolder
from .people import ROLE_WORDS, Invitation, MailChoice, Role, User
from .project import Consensus, Project
from .pseudonyms import Pseudonym
from .signs import Sign, SignKind
from .tokens import AccessToken, KeptAnswer
from .views import SavedView
from .webhooks import Delivery, DeliveryAttempt, DeliveryState, HookEvent, Webhook
