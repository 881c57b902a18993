"""Kinds of notices that people are mailed about, and when each person wants which."""
