"""Questionnaires about ContraDoc's documents, and who may answer them."""
