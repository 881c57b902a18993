"""Reads the settings from the environment, and writes them for docker compose. Needs no Django model."""
