"""Small databases of each released version, and the tests that bring them up to date."""
