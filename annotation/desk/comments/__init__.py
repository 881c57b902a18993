"""Comments on annotations and other topics, and questions that a tag is waiting for."""
