"""The Celery application. A message only wakes a worker; the database says what there is to do."""

import os

import celery.beat
from celery import Celery
from celery.signals import setup_logging, worker_init
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's system checks load every page, of which a worker shows none. `migrate` runs the checks.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

TRANSPORT_ALIASES["files"] = "config.transport:Transport"

# `worker --beat` runs the clock in a process of its own, which takes 70 MB to send a message now and then. Without a
# class for that process it is a thread.
celery.beat._Process = None

app = Celery("workbench", task_cls="config.worker:CheckedTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(
    ["core.background", "core.clearing", "core.health", "core.keeping", "core.sealing", "core.webhooks"]
)


@setup_logging.connect
def leave_logs_to_django(**_kwargs: object) -> None:
    """Keep Celery from setting up logs of its own: with a receiver here, `config/logs.py` counts."""


@worker_init.connect
def check_database(**_kwargs: object) -> None:
    """End the worker if the database is of another version."""
    from core.schema.checking import check_at_start  # Django is set up only now

    check_at_start()
