"""The datasheet of a release: licences, sources, statistics, and how its annotations were made."""
