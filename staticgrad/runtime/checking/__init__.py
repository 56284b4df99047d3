"""Checks of runs: gradients, values that are not finite, passes, and how accurate code is."""
