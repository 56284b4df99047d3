"""Kernels of the counter-based random generator and of distributions."""
