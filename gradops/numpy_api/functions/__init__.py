"""NumPy's functions by subject, for operands that are not plain arrays."""
