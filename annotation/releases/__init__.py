"""Releases, and the files that come in and go out."""
