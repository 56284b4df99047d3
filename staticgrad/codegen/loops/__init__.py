"""Loops in generated code: their functions, and the memory of what their steps give."""
