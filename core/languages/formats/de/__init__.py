"""Formats of German pages."""
