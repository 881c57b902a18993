"""A worker for drills, which takes its machine's name, shorter times and queues from the environment.

    MACHINE=north HARVEST_LEASE=10 DUMP_SECTION=65536 OWN_QUEUES="harvests calls" \
        celery -A speed.harvests.worker worker

Everything else is as in `config.celery`. Without one of the variables, its value is the program's.
"""

import os
import socket
from datetime import timedelta

from celery.signals import worker_init

from config.celery import app

__all__ = ["app"]

OF_A_QUEUE = {"harvests": "annotation.tasks.run_harvest", "calls": "judging.tasks.call_models"}

if queues := os.environ.get("OWN_QUEUES"):
    app.conf.task_routes = {OF_A_QUEUE[queue]: {"queue": queue} for queue in queues.split()}


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
