"""Untagged contradictions: looks through articles, dumps and documents, keeps the candidates apart from tags, and
sends those that an admin chooses to the queue.
"""
