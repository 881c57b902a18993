"""Questionnaires about ConflictBank's evidence."""
