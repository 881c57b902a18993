"""Agreement between reviewers: pairs and larger groups of judgments, by week, and the consensus."""
