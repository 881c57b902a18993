"""Drills of harvests: workers that are killed, frozen and cut off, and calls to models beside a harvest."""
