"""The clock calls every task that waits for it, and none that is not there."""

from django.conf import settings

from config.celery import app


def test_each_task_that_the_clock_calls_is_on_its_schedule():
    app.loader.import_default_modules()
    scheduled = {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()}
    waiting = {name for name, task in app.tasks.items() if str(task.__doc__).startswith("Called by the clock")}
    assert waiting <= scheduled <= app.tasks.keys()
