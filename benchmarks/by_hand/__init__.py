"""Gradients written by hand in NumPy, with preallocated arrays."""
