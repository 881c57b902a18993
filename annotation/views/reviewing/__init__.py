"""Pages of reviewers: annotation review and merging."""
