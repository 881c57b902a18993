"""Plots: as plain geometry for pages, and as pictures for print."""
