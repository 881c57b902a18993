"""Final verdicts and answers, from judgments that can no longer change."""
