"""A reviewer's next response, what the page shows of it, and who has seen other people's judgments."""
