"""Kernels of activations, convolution and pooling."""
