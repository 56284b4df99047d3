"""Sparse matrices: their patterns, products and solutions, by SciPy."""
