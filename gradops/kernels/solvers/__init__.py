"""Kernels of solvers; SciPy is imported when they run."""
