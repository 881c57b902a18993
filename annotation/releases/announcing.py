"""Announces releases: to webhooks when one is made, and in the feed."""

from collections.abc import Callable

from django.db.models import Count
from django.urls import reverse

from core.webhooks.feed import Entry
from core.webhooks.outbox import announce
from core.words import plural

from ..models import Release
from ..models.hooks import RELEASE_MADE

_on_release: list[Callable[[Release], object]] = []


def on_release(prepare: Callable[[Release], object]) -> None:
    """For apps above: register a function for the transaction that makes a release visible."""
    _on_release.append(prepare)


def announce_release(release: Release) -> None:
    """Call it in the transaction that makes the release visible."""
    for prepare in _on_release:
        prepare(release)
    announce(
        RELEASE_MADE,
        lambda: {
            "release": release.number,
            "benchmark": release.benchmark,
            "name": release.name,
            "content_hash": release.content_hash,
            "tags": release.records(manager="everything").count(),
            "instances": release.released_instances(manager="everything").count(),
        },
    )


def newest(most: int) -> list[Entry]:
    rows = Release.objects.annotate(size=Count("released_instances")).order_by("-number")[:most]
    return [
        Entry(
            f"release-{row.number}",
            str(row),
            f"{plural(row.size, 'instance')} of {row.benchmark}, content hash {row.content_hash}.",
            row.created_at,
            reverse("release", args=[row.number]),
        )
        for row in rows
    ]
