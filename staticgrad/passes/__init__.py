"""Transformations that keep what a graph means, and make it smaller."""
