"""Articles from MediaWiki XML dumps, compressed or damaged."""
