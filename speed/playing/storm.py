"""Kills parts of a site in turn and starts them again while people work."""

import asyncio
import time
from dataclasses import dataclass, field

from .people import Annotator
from .servers import Site

AWAY = 3.0  # seconds until a part is started again
SAVES = 2  # of each annotation, before it is submitted


@dataclass
class Storm:
    """The killed parts, and the time until the site answered again."""

    site: Site
    kills: list[tuple[str, float]] = field(default_factory=list)

    async def rage(self, until: float, every: float) -> None:
        """Kill one part after the other until this time; the last kill leaves time to recover."""
        names = [name for name in ("web", "worker", "broker", "database") if name in self.site.servers]
        turn = 0
        await asyncio.sleep(every / 2)
        while time.monotonic() < until - every / 2:
            name = names[turn % len(names)]
            started = time.monotonic()
            await asyncio.to_thread(self.site.servers[name].kill)
            await asyncio.sleep(AWAY)
            await asyncio.to_thread(self.site.servers[name].start)
            while await asyncio.to_thread(self.site.health) != 200:
                await asyncio.sleep(0.1)
            self.kills.append((name, time.monotonic() - started))
            turn += 1
            await asyncio.sleep(max(0.0, every - (time.monotonic() - started)))

    def told(self) -> str:
        parts = dict.fromkeys(name for name, _ in self.kills)
        return "; ".join(
            f"{name} {len(away)} times, whole again after {max(away):.1f} s at most"
            for name in parts
            if (away := [seconds for killed, seconds in self.kills if killed == name])
        )


async def weather(storm: Storm, people: list[Annotator], seconds: float, every: float) -> None:
    """Have everyone annotate for `seconds` while parts are killed, and then finish their current tags."""
    until = time.monotonic() + seconds
    work = [each.annotate_without_pause(until, saves=SAVES) for each in people]
    await asyncio.gather(storm.rage(until, every), *work)
