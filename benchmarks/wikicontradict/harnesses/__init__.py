"""Releases as tasks for Inspect and lm-evaluation-harness; `written/` is copied, not imported."""
