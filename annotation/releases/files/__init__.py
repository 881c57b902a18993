"""Releases and annotations as files: formats and tables of an export, and imports."""
