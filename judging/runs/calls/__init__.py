"""One call from its request to its landed reply: taken, sent, kept on disk and written as a row."""
