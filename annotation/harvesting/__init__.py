"""Harvests tagged articles from a wiki, a dump or a file into rows."""
