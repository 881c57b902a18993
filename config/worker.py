"""The base of all tasks of the worker."""

from typing import Any

from celery import Task


class CheckedTask(Task):
    """A task that does nothing while the database is of another version than this worker. The rows that it would have
    worked on wait for a worker of that version.
    """

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from core.schema.checking import is_of_another_version  # Django is set up only once there are tasks

        if is_of_another_version():
            return None
        return self.run(*args, **kwargs)
