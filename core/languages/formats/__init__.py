"""Dates and numbers by language; Django looks for them here first."""
