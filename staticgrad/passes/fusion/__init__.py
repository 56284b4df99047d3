"""Fusion: which expressions are computed block by block, and the graphs of blocks."""
