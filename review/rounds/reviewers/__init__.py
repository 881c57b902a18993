"""The people of a round: their progress, their accounts, and handing over open responses."""
