"""The queue, and who works on which tag: assignments claimed, renewed, returned and reassigned."""
