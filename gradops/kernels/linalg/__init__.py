"""Kernels of factorizations, triangular systems and products."""
