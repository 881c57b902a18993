"""The chain of digests by which tampering with the log is found, and the copy of the log elsewhere."""
