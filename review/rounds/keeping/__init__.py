"""Keeps what people say about an item: as one verdict with pairs, or as answers that are merged."""
