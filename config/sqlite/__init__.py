"""Django's backend for SQLite, whose writers of one process wait for each other in a queue."""
