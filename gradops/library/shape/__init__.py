"""Ops that reshape, move, join, repeat, pad and window arrays."""
