"""Transformations that keep what a graph means."""
