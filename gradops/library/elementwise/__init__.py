"""Elementwise ops: arithmetic, comparison, logic, rounding, special functions."""
