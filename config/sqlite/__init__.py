"""Django's backend for SQLite. Writers of one process queue for their turn."""
