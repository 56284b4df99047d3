"""Transformations that change what a graph means: derivatives."""
