"""Serves scripts and style sheets: compressed once, with few headers, and ours without comment lines. Lines keep
their numbers, so that a browser's message leads to the source.
"""

import gzip
from collections.abc import Callable

import brotli
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

KINDS = (".js", ".css")
VENDOR = "/vendor/"
HEADERS = ("Content-Type", "Cache-Control", "ETag", "X-Content-Type-Options")
# How a file is packed, the smallest first. Browsers take Brotli from https:// and from their own machine only.
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "br": brotli.compress,
    "gzip": lambda plain: gzip.compress(plain, 9, mtime=0),
    "": lambda plain: plain,
}


def without_comments(source: str) -> str:
    """`source` with an empty line for each comment line."""
    lines = source.split("\n")
    at = 0
    while at < len(lines):
        end = _comment_end(lines, at)
        lines[at:end] = [""] * (end - at)
        at = max(end, at + 1)
    return "\n".join(lines)


def _comment_end(lines: list[str], start: int) -> int:
    """The line after the comment that begins with this line; `start` if none does, or if code follows it."""
    first = lines[start].strip()
    if first.startswith("//"):
        return start + 1
    if not first.startswith("/*"):
        return start
    for at in range(start, len(lines)):
        if "*/" in lines[at]:
            return at + 1 if lines[at].rstrip().endswith("*/") and lines[at].count("*/") == 1 else start
    return start


class LeanFilesMiddleware:
    """The outermost middleware, so that it alone compresses files. With DEBUG, files are unchanged."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]):
        self.get_response = get_response
        self.kept: dict[tuple[str, str], bytes] = {}

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.DEBUG or request.method != "GET" or not _is_file(request.path):
            return self.get_response(request)
        packing = _packing_for(request.META.pop("HTTP_ACCEPT_ENCODING", ""))
        response = self.get_response(request)
        if response.status_code != 200 or not response.streaming:
            return response
        file = request.path, packing
        if file not in self.kept:  # no more than there are files: others are not found
            content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
            self.kept[file] = PACKERS[packing](_lean(request.path, content))
        response.close()
        headers = {name: response[name] for name in HEADERS if name in response}
        answer = HttpResponse(self.kept[file], headers=headers)
        patch_vary_headers(answer, ["Accept-Encoding"])
        if packing:
            answer["Content-Encoding"] = packing
            answer["Content-Length"] = str(len(self.kept[file]))
        return answer


def _packing_for(accepted: str) -> str:
    """The first packing that a browser takes, by its Accept-Encoding; "" for none."""
    taken = {each.partition(";")[0].strip() for each in accepted.split(",")}
    return next(packing for packing in PACKERS if packing in taken or not packing)


def _is_file(path: str) -> bool:
    return path.startswith(settings.STATIC_URL) and path.endswith(KINDS)


def _lean(path: str, content: bytes) -> bytes:
    return content if VENDOR in path else without_comments(content.decode()).encode()
