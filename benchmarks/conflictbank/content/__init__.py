"""Texts and values of facts and claims, without a database."""
