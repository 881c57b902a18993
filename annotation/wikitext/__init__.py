"""Wikitext in, contradiction tags and their paragraphs out. No models, no Django."""
