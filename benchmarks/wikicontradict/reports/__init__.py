"""Tables 1 to 6 of the paper, and its printed numbers."""
