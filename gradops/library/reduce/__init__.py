"""Reductions, cumulative ops, sorting, sets and statistics."""
