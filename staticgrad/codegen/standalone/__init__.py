"""Graphs written as Python modules that need NumPy and nothing else."""
