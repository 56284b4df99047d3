"""Pooling of any sizes in machine code: one function for each op and dtype."""
