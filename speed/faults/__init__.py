"""The drill of faults: people annotate while a site loses its parts, its disk, its clock or its right to write."""
