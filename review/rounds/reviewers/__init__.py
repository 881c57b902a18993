"""The people of a round: their progress, their accounts, and reassigning open responses."""
