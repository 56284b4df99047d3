"""Indexing, functional updates of entries, and diagonals."""
