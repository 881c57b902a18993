"""Trains classifiers of conflicts on people's answers about evidence."""
