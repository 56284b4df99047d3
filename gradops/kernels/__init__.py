"""NumPy kernels that are more than one call."""
