"""Kombu's filesystem transport with writes that a reader never sees half done.

Kombu opens a file under its final name and then writes, so a worker that looks at that moment reads an empty file and
dies. Here both kinds of files, messages and tables of bindings, are written under another name, flushed to disk and
renamed.
"""

import fcntl
import os
import threading
import uuid
from pathlib import Path
from time import time_ns

from kombu.transport import filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps


def write_whole(path: Path, content: object) -> None:
    """Put `content`, as JSON, into `path`: a reader finds the old file or the new one."""
    part = path.with_name(f"{path.name}.{uuid.uuid4()}.part")
    with part.open("wb") as file:
        file.write(str_to_bytes(dumps(content)))
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)


class Channel(filesystem.Channel):
    binding = threading.RLock()

    def queue_bind(self, *args, **kwargs):
        # All threads share kombu's memory of what is bound. Without a turn, the second one takes the first one's word
        # before the table is written, and its messages go nowhere.
        with self.binding:
            return super().queue_bind(*args, **kwargs)

    def _put(self, queue, payload, **kwargs):  # type: ignore[override]  # as the stock transport has it
        # time_ns instead of the stock monotonic clock: messages then keep their order over a reboot.
        write_whole(Path(self.data_folder_out) / f"{time_ns():020d}_{uuid.uuid4()}.{queue}.msg", payload)

    def _queue_bind(self, exchange, routing_key, pattern, queue):
        wanted = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        table = self._exchange_file(exchange)
        # Two programs that bind at once take turns; otherwise the later one would drop the earlier one's queue.
        with table.with_suffix(".lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            bound = self.get_table(exchange)
            if wanted not in bound:
                write_whole(table, [wanted, *bound])


class Transport(filesystem.Transport):
    Channel = Channel
