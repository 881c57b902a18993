"""Coefficients of agreement: of two or more people, within strata, on sets and on passages."""
