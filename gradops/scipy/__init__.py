"""Arguments for SciPy's solvers."""
