"""Requests with an `Idempotency-Key`: a request repeated because the answer got lost gets the first answer.

After the IETF's draft “The Idempotency-Key HTTP Header Field” (draft-ietf-httpapi-idempotency-key-header).
"""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from ..engine.queries.inserts import insert_new
from ..models import KeptAnswer
from ..outside import is_storable
from ..web.problems import PROBLEM
from .problems import Problem, as_problem

# A request that has no answer after this long died: nothing that a request does takes as long.
LEASE = timedelta(minutes=10)
LONGEST_KEY = 100
KEPT_HEADERS = ("ETag", "Location")


def once(request: Any, act: Callable[[], Response]) -> HttpResponseBase:
    """The answer of `act`, or the one that was given to the same request before.

    Raises Problem if the key cannot be read (400), if another request had it (422), or if the first one is still
    being worked on (409). If that one died without an answer, the same request may be repeated after a while.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return act()
    if not 0 < len(key) <= LONGEST_KEY or not is_storable(key):
        raise Problem(f"An Idempotency-Key must have 1 to {LONGEST_KEY} characters.", status=400)
    now, hashed = timezone.now(), _hash(request)
    KeptAnswer.objects.out_of_date(at=now).filter(person=request.user).delete()
    try:
        with transaction.atomic():
            row = insert_new(KeptAnswer(person=request.user, key=key, request_hash=hashed, begun_at=now))
    except IntegrityError:
        known = KeptAnswer.objects.filter(person=request.user, key=key).first()
        if known is None or not _takes_over(known, hashed, now):
            return _known(known, hashed)
        row = known
    return _keep(row, act)


def _takes_over(row: KeptAnswer, hashed: str, now: datetime) -> bool:
    """Return whether the same request died without an answer, and this one is the first to take over."""
    dead = KeptAnswer.objects.filter(pk=row.pk, request_hash=hashed, status=None, begun_at__lt=now - LEASE)
    return bool(dead.update(begun_at=now))


def _hash(request: Any) -> str:
    parts = [request.method, request.get_full_path(), json.dumps(request.data, sort_keys=True, default=_hash_of_file)]
    return sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()


def _hash_of_file(file: UploadedFile) -> str:
    found = sha256()
    for chunk in file.chunks():
        found.update(chunk)
    file.seek(0)
    return found.hexdigest()


def _known(row: KeptAnswer | None, hashed: str) -> HttpResponse:
    if row is not None and row.request_hash != hashed:
        raise Problem("Another request was sent with this Idempotency-Key. Choose a new one.", status=422)
    if row is None or row.status is None:
        raise Problem(
            "The first request with this Idempotency-Key has no answer yet. Wait. If none comes, check what the "
            "first request did before you send it again: after ten minutes the key works again.",
            status=409,
        )
    kind = PROBLEM if row.status >= 400 else "application/json"
    return HttpResponse(row.body, status=row.status, content_type=kind, headers=row.headers)


def _keep(row: KeptAnswer, act: Callable[[], Response]) -> Response:
    try:
        answer = act()
    except Exception as error:
        refused = as_problem(error)
        if refused is None:
            # Nothing is known of what was done: the key stays taken until the lease is over, and says so.
            raise
        answer = refused
    body = b"" if answer.data is None else JSONRenderer().render(answer.data)
    headers = {name: answer[name] for name in KEPT_HEADERS if name in answer}
    KeptAnswer.objects.filter(pk=row.pk).update(status=answer.status_code, body=body.decode(), headers=headers)
    return answer
