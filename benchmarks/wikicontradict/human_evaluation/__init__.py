"""The released human evaluation: its file, imported and exported."""
