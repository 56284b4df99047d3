"""Fourier transforms and resampling."""
