"""Passes over loops and branches: what is computed before, in and after them."""
