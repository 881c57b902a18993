"""The progress of a run: its kept sums, and what pages and commands show of them."""
