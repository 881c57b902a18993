"""One way to lock a row, on both databases."""

from django.db.models import QuerySet


def lock(rows: QuerySet) -> bool:
    """Wait for whoever is changing these rows, and keep others waiting until the transaction ends. Returns whether
    there are any: their filter is asked again after the wait. What was read of them before may have changed.

    PostgreSQL locks the rows, and still lets others refer to them. On SQLite the transaction is the only one that
    writes, from its first statement on.
    """
    found = rows.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True)
    return bool(list(found))
