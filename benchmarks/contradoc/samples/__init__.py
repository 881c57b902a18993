"""Sample documents for a first start, and the work on them: all invented."""
