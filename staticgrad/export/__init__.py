"""Graphs as text for other tools."""
