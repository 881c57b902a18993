"""Finds the text that a tagged sentence contradicts, among an article's other sentences, rows and captions. No model
is needed: a few features, and their weights as numbers (`weights.json`, made by `speed.counterparts.training`).

Text in, positions and reasons out; nothing here knows a database.
"""
