"""Compares the database with the program: migrations, tables, columns and triggers."""
