"""Finds contradiction tags and their paragraphs in wikitext. No models, no Django."""
