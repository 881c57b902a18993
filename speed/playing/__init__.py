"""Simulated people who work over HTTP, for `python -m speed.load`."""
