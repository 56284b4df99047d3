"""Solvers of ordinary differential equations: explicit schemes of our own, stiff ones of SciPy."""
