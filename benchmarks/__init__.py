"""Benchmarks, each an app of its own above `review`: its items, tasks, questionnaires, tables and pages."""
