"""A harvest's progress, in words and numbers for its page."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from core.languages import joined, say, say_count

from ..models import Harvest, HarvestSource, HarvestState
from .harvests import ASKS_THE_WIKI, IS_DAMAGED

# A worker picks up a harvest within this time, if there is one.
PATIENCE = timedelta(seconds=60)
MUCH_TO_UNPACK = 50_000_000  # bytes; some seconds


@dataclass(frozen=True, slots=True)
class Progress:
    """A harvest as its pages show it. Computed lazily: the list needs little of it."""

    harvest: Harvest

    @property
    def about(self) -> str:
        """The harvest's target, in a few words."""
        source, parameters = self.harvest.source, self.harvest.parameters
        if source == HarvestSource.TEMPLATE:
            names = [*parameters.get("families", []), *parameters.get("names", {})]
            return say("Templates: {names}", names=", ".join(names) or say("all tag types"))
        if source == HarvestSource.CATEGORY:
            category, depth = say("Category: {name}", name=parameters["category"]), parameters.get("depth")
            if not depth:
                return category
            below = say_count(depth, "{count} level of sub-categories", "{count} levels of sub-categories")
            return joined([category, below], ", ")
        if source == HarvestSource.TITLES:
            titles = parameters["titles"]
            if len(titles) > 1:
                return say("Titles: {title} and {more:,} more", title=titles[0], more=len(titles) - 1)
            return say("Titles: {title}", title=titles[0])
        name = parameters["file_name"]
        return (
            say("Dump: {name}", name=name) if source == HarvestSource.DUMP else say("Tasks JSON: {name}", name=name)
        )

    @property
    def tone(self) -> str:
        """The CSS class of the state's chip."""
        return {HarvestState.DONE: "good", HarvestState.FAILED: "bad"}.get(HarvestState(self.harvest.state), "")

    @property
    def percent(self) -> int | None:
        if self.harvest.state == HarvestState.DONE:
            return 100
        if not self.harvest.articles_total:
            return None
        return min(100, self.harvest.articles_seen * 100 // self.harvest.articles_total)

    @property
    def pages_a_minute(self) -> int | None:
        """Pages per minute since this worker picked it up: a harvest that was interrupted overnight is not slow."""
        harvest, cursor = self.harvest, self.harvest.cursor or {}
        if "since" not in cursor or harvest.state not in (HarvestState.RUNNING, HarvestState.DONE):
            return None
        minutes = (
            (harvest.finished_at or timezone.now()) - datetime.fromisoformat(cursor["since"])
        ).total_seconds() / 60
        pages = harvest.articles_seen - cursor["since_page"]
        return round(pages / minutes) if minutes > 0 and pages else None

    @property
    def unread(self) -> int:
        """The number of sub-categories that the harvest of a category has left out."""
        return (self._checkpoint.get("at") or {}).get("unread") or 0

    @property
    def next_depth(self) -> int:
        return self.harvest.parameters.get("depth", 0) + 1

    @property
    def is_at_most(self) -> bool:
        """Return whether it ended because it reached its maximum number of articles."""
        most = self.harvest.parameters.get("most")
        return bool(most) and self._checkpoint.get("taken", 0) >= most

    @property
    def _checkpoint(self) -> dict[str, Any]:
        return (self.harvest.cursor or {}).get("checkpoint") or {}

    @property
    def _unpacked_again(self) -> str:
        """The part of a dump that a resumption unpacks without reading it; empty where that is little."""
        behind = self._checkpoint.get("behind") or {}
        size = behind.get("offset", 0) - behind.get("unpacked", 0)
        return filesizeformat(size) if size >= MUCH_TO_UNPACK else ""

    @property
    def hint(self) -> str:
        harvest, at = self.harvest, timezone.now()
        if harvest.state == HarvestState.WAITING:
            running = Harvest.objects.filter(
                wiki=harvest.wiki_id, source__in=ASKS_THE_WIKI, state=HarvestState.RUNNING
            )
            before = running.first() if harvest.source in ASKS_THE_WIKI else None
            if before:
                return say(
                    "It begins when harvest {number} ends: only one harvest at a time uses a wiki.", number=before.pk
                )
            if at - harvest.requested_at > PATIENCE and Harvest.objects.filter(lease_expires_at__gt=at).exists():
                return say("It begins when another harvest ends.")
            if at - harvest.requested_at > PATIENCE and not harvest.started_at:
                return say(
                    "No worker has started it yet. Is one running? Start one with manage.py up; nothing is lost "
                    "in the meantime."
                )
            return say("A worker will start it in a moment.")
        if harvest.state == HarvestState.RUNNING and harvest.lease_expires_at and harvest.lease_expires_at <= at:
            return say(
                "Its worker has stopped responding. Another one continues automatically from the last stored step."
            )
        if len(machines := {row.machine for row in harvest.ranges.all()}) > 1:
            return say("Read by {count} machines: {names}.", count=len(machines), names=", ".join(sorted(machines)))
        again = self._unpacked_again
        since = (harvest.cursor or {}).get("since_page")
        if harvest.state == HarvestState.RUNNING and again and harvest.articles_seen == since:
            return say(
                "It unpacks the first {again} of the dump again, without reading them, to continue where it stopped.",
                again=again,
            )
        if not harvest.can_resume:
            return IS_DAMAGED
        if harvest.state == HarvestState.FAILED:
            safe = say("Everything stored so far is complete up to the last step. Resume continues from there.")
            if not again:
                return safe
            more = say("The first {again} of the dump are unpacked again for that, but not read.", again=again)
            return joined([safe, more])
        if harvest.state == HarvestState.CANCELLED:
            return say("What was stored so far is kept. A new harvest of the same source adds what is missing.")
        return ""
