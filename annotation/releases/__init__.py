"""Releases, and their imports and exports."""
