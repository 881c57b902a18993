"""Signs of life, and the checks by which the program says what works and what to do."""
