"""Annotators: their progress and their agreement."""
