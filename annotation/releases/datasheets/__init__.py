"""The datasheet of a release: licences, sources, statistics, and the making of its annotations."""
