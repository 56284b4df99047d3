"""Expressions, frozen graphs, their check and their text."""
