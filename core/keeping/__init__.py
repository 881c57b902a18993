"""Backup and restore of a site, and the pause of everything that goes out after a restore."""
