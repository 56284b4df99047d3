"""Transformations of graphs: derivatives, substitution, import."""
