"""WikiContradict's site."""
