"""A reviewer's next response, its display, and the records of seen judgments."""
