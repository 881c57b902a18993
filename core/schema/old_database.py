"""A database made before the current layout of apps cannot be migrated; it is refused and left untouched."""

from django.conf import settings
from django.db import connection

from ..refusals import Refusal

# People were in another app then.
OLD_TABLE = "annotation_user"


def refuse_an_old_database() -> None:
    """Raises Refusal if the database was made by a version before 0.2. Reads table names, writes nothing."""
    if OLD_TABLE in connection.introspection.table_names():
        raise Refusal(old_database())


def old_database() -> str:
    """Return what to do with such a database, in sentences."""
    if connection.vendor == "sqlite":
        begin = f"To start anew beside it, run `VAR_DIR=var-new make run`, or move {settings.VAR_DIR} away."
    else:
        begin = "To start anew, name an empty database in DATABASE_URL."
    return (
        "This database was made by version 0.1, and this version cannot read it. Nothing in it was changed. "
        "To keep its work, start version 0.1 on it again and export releases, annotations, responses and "
        f"judgments; this version imports those files. {begin}"
    )
