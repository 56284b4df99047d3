"""Kernels of elementwise functions that NumPy does not have, or has slower."""
