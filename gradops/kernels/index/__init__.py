"""Kernels that gather, scatter and write entries."""
