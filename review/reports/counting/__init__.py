"""Verdicts counted by the database, for several reports."""
