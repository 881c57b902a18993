"""The HTTP client for MediaWiki. It returns plain values and saves nothing; it knows no models."""

from annotation.mediawiki.address import normalise_api_url
from annotation.mediawiki.errors import ApiError, AskedToWait, NotAnApi, Refused, Unreachable, WikiError
from annotation.mediawiki.pages import Batch, Cursor, MissingPage, PageRevision, SiteInfo
from annotation.mediawiki.revisions import PageNow, RenderedPage, RevisionStub, RevisionText
from annotation.mediawiki.wiki import Wiki

__all__ = [
    "ApiError",
    "AskedToWait",
    "Batch",
    "Cursor",
    "MissingPage",
    "NotAnApi",
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
]
