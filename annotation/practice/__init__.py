"""Practice runs: tags with a known annotation, for people new to the desk. Nothing of them is ever counted."""
