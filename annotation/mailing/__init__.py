"""Mail about mentions, answers and returned annotations, immediately or as a daily digest."""
