"""Kernels of convolution, pooling and what works row by row."""
