"""Evidence for claims: written by models or from a pattern, and checked."""
