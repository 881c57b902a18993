"""A database made before the apps were laid out as they are now cannot be carried over; it is refused, untouched."""

from django.conf import settings
from django.db import connection

from .refusals import Refusal

# People were in another app then.
OLD_TABLE = "annotation_user"


def refuse_an_old_database() -> None:
    """Raises Refusal where a version before 0.2 made the database. Reads the names of tables, writes nothing."""
    if OLD_TABLE not in connection.introspection.table_names():
        return
    if connection.vendor == "sqlite":
        begin = f"To begin afresh beside it, run `VAR_DIR=var-new make run`, or move {settings.VAR_DIR} away."
    else:
        begin = "To begin afresh, name an empty database in DATABASE_URL."
    raise Refusal(
        "This database was made by version 0.1, and this version cannot read it. Nothing in it was changed. "
        "To keep its work, start version 0.1 on it once more and export releases, annotations, responses and "
        f"judgments; this version imports those files. {begin}"
    )
