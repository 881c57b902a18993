"""Practice runs: tags with a known annotation, for people new to the desk. None of their data is ever counted."""
