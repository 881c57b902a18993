"""People who work over HTTP on a site of its own: what `python -m benchmarks.load` plays."""
