"""Reads articles from MediaWiki XML dumps, also compressed or damaged ones."""
