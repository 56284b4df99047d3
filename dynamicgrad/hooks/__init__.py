"""Hooks on tensors, nodes and saved tensors, and inspection of gradient graphs."""
