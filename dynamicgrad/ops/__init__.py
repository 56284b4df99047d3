"""PyTorch's functions, by subject."""
