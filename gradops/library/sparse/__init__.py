"""Sparse matrices: ops of their entries and of vectors, whose attribute is the pattern."""
