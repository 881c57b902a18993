"""Drafts: the form, the sources of its passages, the time spent on it, and submission."""
