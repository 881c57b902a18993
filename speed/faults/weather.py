"""Faults in turn, while people work."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from speed.playing.http import Refused
from speed.playing.people import Annotator
from speed.playing.servers import Site

from .kinds import Fault

SAVES = 2  # of each annotation, before it is submitted
THINK = 2.0  # seconds before each save: without them the machine would do nothing but answer
CALM = 8.0  # seconds between two faults
PATIENCE = 300.0  # seconds until the site has to be ready again
TAKEN = (403, 404, 409, 410, 412)  # another person has the tag by now, or another tab has saved


@dataclass
class Weather:
    """The faults that happened, and the seconds until the site was ready again after each."""

    site: Site
    happened: list[tuple[str, float]] = field(default_factory=list)
    passed_on: int = 0  # tags that went to someone else meanwhile

    async def rage(self, faults: Sequence[Fault], turns: int) -> None:
        """Let each fault happen in this number of turns, with time to recover after each."""
        await asyncio.sleep(CALM)
        for fault in [*faults] * turns:
            await asyncio.to_thread(fault.begin, self.site)
            await asyncio.sleep(fault.seconds)
            await asyncio.to_thread(fault.end, self.site)
            over = time.monotonic()
            while await asyncio.to_thread(self.site.ready) != 200:
                if time.monotonic() > over + PATIENCE:
                    raise SystemExit(f"{fault.name}: the site is not ready again after {PATIENCE:.0f} s")
                await asyncio.sleep(0.1)
            self.happened.append((fault.name, time.monotonic() - over))
            await asyncio.sleep(CALM)

    async def over(self, faults: Sequence[Fault], turns: int, people: list[Annotator]) -> None:
        """Have everyone annotate until the last fault is over, and then finish their current tags."""
        raging = asyncio.create_task(self.rage(faults, turns))
        await asyncio.gather(raging, *(self.work(each, raging) for each in people))

    async def work(self, person: Annotator, raging: asyncio.Task[None]) -> None:
        """Annotate tag after tag. Whoever lost a tag to someone else takes the next one, as the desk offers."""
        while not raging.done():
            try:
                await person.annotate(time.monotonic() + CALM, saves=SAVES, think=THINK)
            except Refused as refusal:
                if refusal.answer.status not in TAKEN:
                    raise
                self.passed_on += 1

    def told(self) -> list[str]:
        """A line for each kind of fault."""
        kinds = dict.fromkeys(name for name, _ in self.happened)
        return [
            f"{name}: {len(times)} times, ready again after {max(times):.1f} s at most"
            for name in kinds
            if (times := [seconds for happened, seconds in self.happened if happened == name])
        ]
