"""Mail about mentions, answers and returned annotations, at once or as a daily digest."""
