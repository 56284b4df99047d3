"""NumPy kernels of ops, where they are more than one call of NumPy."""
