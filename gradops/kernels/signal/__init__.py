"""Kernels of filters."""
