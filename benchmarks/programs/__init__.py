"""Workloads by subject: inputs, and a loss over an array namespace."""
