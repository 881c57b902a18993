"""Django's backend for PostgreSQL, which can have the server keep the plans of queries."""
