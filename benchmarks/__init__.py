"""Benchmarks: workloads in our packages, by hand in NumPy, and in other libraries."""
