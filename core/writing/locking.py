"""Locks rows in the same way on both databases."""

from django.db.models import QuerySet


def lock(rows: QuerySet) -> bool:
    """Wait until nobody else is changing these rows, then keep others waiting until the transaction ends. Returns
    whether there are any rows: the filter is evaluated again after the wait. Values read before may be out of date.

    PostgreSQL locks the rows, but still lets other rows refer to them. On SQLite the transaction is the only writer
    from its first statement on.
    """
    found = rows.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True)
    return bool(list(found))
