"""Mechanisms that exist for speed only: see `docs/engine.md`, also for the rule by which they stay."""
