"""Updates PostgreSQL's table statistics after many rows were written. Until autovacuum runs, which may take a minute,
PostgreSQL would plan for the old table.
"""

import logging
from collections.abc import Mapping

from django.db import DatabaseError, connection, transaction

logger = logging.getLogger(__name__)

# PostgreSQL looks at a sample of a table's rows: some tenths of a second for each table that got as many as this.
MANY = 1_000


def look_again(written: Mapping[str, int]) -> None:
    """Have PostgreSQL analyse the tables that got many rows; `written` gives the number by table. Call it when the
    rows are committed. Only a table's owner may do so: for any other role, and after an error, nothing happens.
    """
    tables = [table for table, count in sorted(written.items()) if count >= MANY]
    if connection.vendor != "postgresql" or not tables:
        return
    names = ", ".join(map(connection.ops.quote_name, tables))
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {names}")
    except DatabaseError:
        logger.warning("The statistics of %s were not updated.", names, exc_info=True)
