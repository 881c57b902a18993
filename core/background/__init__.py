"""Long work that people ask for on a page: kept as a row, done by a worker, with progress."""
