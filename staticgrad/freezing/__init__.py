"""Freezing: from a growing graph to an immutable one."""
