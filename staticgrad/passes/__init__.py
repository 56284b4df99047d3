"""Optimization passes: transformations that keep a graph's values and make it smaller."""
