"""A real MediaWiki for tests. By hand: `python -m tests.mediawiki up`, later `python -m tests.mediawiki down`."""
