"""How what people say about an item is kept: as one verdict with pairs, or as answers that are merged."""
