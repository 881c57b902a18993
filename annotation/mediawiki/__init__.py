"""The HTTP client for MediaWiki. It returns plain values and saves nothing; it knows no models."""

from .address import normalise_api_url, refuse_unasked
from .errors import ApiError, AskedToWait, NotAnApi, NotAsked, Refused, Unreachable, WikiError
from .pages import Batch, Cursor, MissingPage, PageRevision, SiteInfo
from .revisions import PageNow, RenderedPage, RevisionStub, RevisionText
from .wiki import Wiki

__all__ = [
    "ApiError",
    "AskedToWait",
    "Batch",
    "Cursor",
    "MissingPage",
    "NotAnApi",
    "NotAsked",
    "PageNow",
    "PageRevision",
    "Refused",
    "RenderedPage",
    "RevisionStub",
    "RevisionText",
    "SiteInfo",
    "Unreachable",
    "Wiki",
    "WikiError",
    "normalise_api_url",
    "refuse_unasked",
]
