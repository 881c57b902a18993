"""The HTTP client for MediaWiki. It returns plain values and saves nothing; it knows no models."""

from .address import normalise_api_url, refuse_unasked
from .errors import ApiError, AskedToWait, NotAnApi, NotAsked, Refused, Unreachable, WikiError
from .pages import Batch, Cursor, MissingPage, PageRevision, SiteInfo
from .revisions import PageNow, RenderedPage, RevisionStub, RevisionText
from .wiki import Wiki
