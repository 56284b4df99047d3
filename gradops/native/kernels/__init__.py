"""Kernels in machine code whose sizes are known when they run."""
