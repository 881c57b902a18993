from .actions import WikicontradictAction

__all__ = ["WikicontradictAction"]
