"""Claims made of facts: the object that replaces the true one, the time, and the sentences."""
