"""Mechanisms for speed only. See `docs/engine.md`, also for the rule by which they stay."""
