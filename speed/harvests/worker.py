"""A worker for drills, which takes its machine's name, shorter times and a queue from the environment.

    MACHINE=north HARVEST_LEASE=10 DUMP_SECTION=65536 HARVEST_QUEUE=harvests celery -A speed.harvests.worker worker

Everything else is as in `config.celery`. Without one of the variables, its value is the program's.
"""

import os
import socket
from datetime import timedelta

from celery.signals import worker_init

from config.celery import app

__all__ = ["app"]

if queue := os.environ.get("HARVEST_QUEUE"):
    app.conf.task_routes = {"annotation.tasks.run_harvest": {"queue": queue}}


@worker_init.connect
def set_up(**_kwargs: object) -> None:
    from annotation.harvesting import harvests
    from annotation.harvesting.dumps import ranges, sections

    if machine := os.environ.get("MACHINE"):
        socket.gethostname = lambda: machine
    if seconds := os.environ.get("HARVEST_LEASE"):
        harvests.LEASE = ranges.LEASE = timedelta(seconds=float(seconds))
    if size := os.environ.get("DUMP_SECTION"):
        sections.SECTION = int(size)
