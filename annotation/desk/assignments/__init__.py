"""The queue, and the assignments of tags: claimed, renewed, returned and reassigned."""
