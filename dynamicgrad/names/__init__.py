"""PyTorch's names for functions and methods, and names that are missing."""
