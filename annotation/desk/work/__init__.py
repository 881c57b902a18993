"""Lists of a person's own annotations, and of the work of all people."""
